// usage: dap.js SCRIPT FOLDER: debugs programs through Visual Studio Code's own test client, and prints the sessions.
// SCRIPT starts the server; FOLDER has files of the test. Paths are printed without their folders.
'use strict';
const assert = require('assert');
const path = require('path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const [server, folder] = process.argv.slice(2);
const LIMIT = 200000;

// What stays the same on each machine.
function plain(value) {
  const folders = [folder, process.cwd()].map((one) => `${one}/`);
  return JSON.stringify(value, (key, one) =>
    (typeof one === 'string' ? folders.reduce((text, place) => text.replaceAll(place, ''), one) : one));
}

class Session {
  constructor(title) {
    console.log(`== ${title}`);
    this.client = new DebugClient('/bin/sh', server, 'hexec');
    this.client.defaultTimeout = LIMIT;
    this.printed = []; // output that came before the event that is waited for
    this.client.on('output', (event) => this.printed.push(`   output ${plain(event.body)}`));
  }

  // One request, and what is answered; `silent`: it is not printed.
  async ask(command, args = {}, silent = false) {
    let answer;
    try {
      answer = await this.client.send(command, args);
    } catch (error) {
      console.log(`> ${command} ${plain(args)}\n  failed: ${plain(error.message)}`);
      return undefined;
    }
    if (!silent)
      console.log(`> ${command} ${plain(args)}\n  ${plain(answer.body || {})}`);
    return answer.body;
  }

  // A request behind which an event comes.
  async until(event, command, args = {}) {
    const came = this.client.waitForEvent(event, LIMIT);
    const body = await this.ask(command, args);
    if (body === undefined && command === 'launch') {
      came.catch(() => 0);
      return undefined;
    }
    const found = (await came).body;
    this.printed.splice(0).forEach((line) => console.log(line));
    console.log(`   ${event} ${plain(found || {})}`);
    return found;
  }

  async begin(launch) {
    await this.client.start();
    await this.ask('initialize', { adapterID: 'hexec', linesStartAt1: true, columnsStartAt1: true }, true);
    await this.until('initialized', 'launch', launch);
  }

  async where(threadId) {
    const { stackFrames } = await this.ask('stackTrace', { threadId });
    return stackFrames.length ? stackFrames[0].id : 0;
  }

  async end() {
    await this.client.stop();
  }
}

async function stepsAndValues() {
  const session = new Session('steps, values and data breakpoints of a program in YAML');
  const file = path.resolve('programs/saxpy.yaml'), source = { path: file };
  await session.begin({ program: file, args: ['--grid', '2'] });
  await session.ask('setBreakpoints', { source, breakpoints: [
    { line: 24, condition: 'r0 == 40' },
    { line: 27, hitCondition: '>= 2', logMessage: 'thread {%tid.x} stores {r4}' },
    { line: 9999 }, { line: 24, condition: 'r0 ==' }, { line: 24, hitCondition: 'often' }] });
  await session.ask('breakpointLocations', { source, line: 17, endLine: 24 });
  const { threadId } = await session.until('stopped', 'configurationDone');
  const { threads } = await session.ask('threads', {}, true);
  console.log(`   ${threads.length} threads: ${plain(threads.slice(0, 4))}`);
  const frameId = await session.where(threadId);
  const { scopes } = await session.ask('scopes', { frameId });
  for (const { name, variablesReference } of scopes.slice(0, 4)) {
    const { variables } = await session.ask('variables', { variablesReference });
    if (name !== 'Registers' && name !== 'Parameters')
      await session.ask('variables', { variablesReference: variables[0].variablesReference, start: 30, count: 2 });
  }
  await session.ask('evaluate', { expression: 'x[r0] * 2 + n', frameId, context: 'watch' });
  await session.ask('evaluate', { expression: 'r0', frameId, context: 'hover', format: { hex: true } });
  await session.ask('evaluate', { expression: 'nothing', frameId, context: 'watch' });
  await session.ask('evaluate', { expression: 'info launch', frameId, context: 'repl' });
  await session.ask('completions', { frameId, text: 'info re', column: 8 });
  await session.until('stopped', 'next', { threadId });
  await session.until('stopped', 'stepBack', { threadId });
  await session.until('stopped', 'stepIn', { threadId: 3, granularity: 'instruction' }); // the warp
  await session.until('stopped', 'stepIn', { threadId: 1 }); // the block
  const data = await session.ask('dataBreakpointInfo', { name: 'y[40]' });
  await session.ask('dataBreakpointInfo', { name: 'r0' });
  await session.ask('setDataBreakpoints', { breakpoints: [{ dataId: data.dataId, accessType: 'write' }] });
  await session.until('stopped', 'continue', { threadId });
  await session.ask('readMemory', { memoryReference: 'global:0x1000110a0', count: 8 });
  await session.ask('readMemory', { memoryReference: 'global:0x100000f98', count: 16 });
  await session.until('stopped', 'reverseContinue', { threadId });
  await session.ask('setBreakpoints', { source, breakpoints: [] }, true);
  await session.ask('setDataBreakpoints', { breakpoints: [] }, true);
  await session.until('terminated', 'continue', { threadId });
  await session.end();
}

async function calls() {
  const session = new Session('calls, function and instruction breakpoints, staying at the end');
  await session.begin({ program: path.resolve('programs/call_ret.yaml'), args: ['--grid', '1'], stopOnEntry: true, stopAtEnd: true });
  const { threadId } = await session.until('stopped', 'configurationDone');
  await session.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'factorial', hitCondition: '2' }, { name: 'nobody' }] });
  const inside = await session.until('stopped', 'continue', { threadId });
  const { stackFrames } = await session.ask('stackTrace', { threadId: inside.threadId });
  assert(stackFrames.length > 1);
  await session.ask('stackTrace', { threadId: inside.threadId, startFrame: 1, levels: 1 });
  await session.ask('setFunctionBreakpoints', { breakpoints: [] }, true);
  await session.until('stopped', 'stepOut', { threadId: inside.threadId });
  const { stackFrames: outside } = await session.ask('stackTrace', { threadId: inside.threadId });
  const at = outside[0].instructionPointerReference;
  await session.ask('disassemble', { memoryReference: at, instructionOffset: -1, instructionCount: 3 });
  await session.ask('disassemble', { memoryReference: '0x100000000', offset: -1, instructionCount: 2 });
  await session.ask('setInstructionBreakpoints', { breakpoints: [{ instructionReference: at, offset: 1 }, { instructionReference: '0x1' }] });
  await session.until('stopped', 'continue', { threadId });
  await session.ask('setInstructionBreakpoints', { breakpoints: [] }, true);
  await session.until('stopped', 'continue', { threadId });
  const { threads: left } = await session.ask('threads');
  assert.strictEqual(left.length, 1);
  const last = await session.where(left[0].id);
  const { scopes: atEnd } = await session.ask('scopes', { frameId: last });
  const { variables: kept } = await session.ask('variables', { variablesReference: atEnd[0].variablesReference });
  await session.ask('variables', { variablesReference: kept[0].variablesReference, start: 4, count: 2 });
  await session.ask('readMemory', { memoryReference: kept[0].memoryReference, count: 8 });
  await session.ask('evaluate', { expression: `${kept[0].name}[3] + 1`, frameId: last, context: 'watch' });
  await session.ask('evaluate', { expression: 'r0', frameId: last, context: 'watch' });
  await session.until('stopped', 'stepBack', { threadId });
  await session.until('stopped', 'restart');
  await session.until('stopped', 'evaluate', { expression: 'goto 10', context: 'repl' });
  await session.end();
}

async function compiled() {
  const session = new Session('a kernel in OpenCL C, by its lines, and its PTX, which is no file');
  const file = path.join(folder, 'twice.cl');
  const args = ['--kernel', 'twice', '--grid', '1', '--block', '32', '--arg', 'f32:32:iota'];
  await session.begin({ program: file, args });
  const { breakpoints } = await session.ask('setBreakpoints', { source: { path: file }, breakpoints: [{ line: 4 }] });
  const { threadId } = await session.until('stopped', 'configurationDone');
  await session.client.stackTraceRequest({ threadId }).then(({ body }) => {
    assert.strictEqual(body.stackFrames[0].line, breakpoints[0].line);
    assert.strictEqual(body.stackFrames[0].source.path, file);
  });
  await session.until('terminated', 'continue', { threadId });
  await session.end();

  const below = new Session('the same by lines of the PTX');
  await below.begin({ program: file, args: [...args, '--source', 'ptx'], stopOnEntry: true });
  const { threadId: thread } = await below.until('stopped', 'configurationDone');
  const { stackFrames } = await below.ask('stackTrace', { threadId: thread }, true);
  const { sourceReference } = stackFrames[0].source;
  const { content } = await below.ask('source', { sourceReference }, true);
  assert(content.includes('.visible .entry twice') || content.includes('.entry twice'), content);
  const line = content.split('\n').findIndex((text) => text.includes('st.global')) + 1;
  const set = await below.ask('setBreakpoints', { source: { sourceReference }, breakpoints: [{ line }] }, true);
  assert(set.breakpoints[0].verified && set.breakpoints[0].line === line, plain(set));
  await below.end();
}

async function variables() {
  const session = new Session('variables of a kernel in OpenCL C');
  const file = path.resolve('tests/golden/debug/variables.cl');
  await session.begin({ program: file, args: ['--block', '4', '--arg', 'f32:4:iota', '--arg', 'shared:16'] });
  await session.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'twice', condition: 'value == 2' }] }, true);
  const { threadId } = await session.until('stopped', 'configurationDone');
  const { stackFrames } = await session.ask('stackTrace', { threadId }, true);
  const found = {};
  for (const { id: frameId, name } of stackFrames) {
    const { scopes } = await session.ask('scopes', { frameId }, true);
    console.log(`   ${name}: ${plain(scopes.slice(0, 3))}`);
    for (const { variablesReference } of scopes.slice(0, 2)) {
      const { variables: shown } = await session.ask('variables', { variablesReference });
      shown.forEach((one) => { found[one.name] = one.variablesReference; });
    }
  }
  const frameId = stackFrames[1].id;
  const { variables: members } = await session.ask('variables', { variablesReference: found.all });
  await session.ask('variables', { variablesReference: members[1].variablesReference, start: 1, count: 1 });
  await session.ask('variables', { variablesReference: found.x });
  await session.ask('evaluate', { expression: 'all.counts', frameId, context: 'hover' });
  await session.ask('evaluate', { expression: 'value', frameId: stackFrames[0].id, context: 'hover' });
  await session.ask('evaluate', { expression: 'value', frameId, context: 'hover' });
  const pointer = await session.ask('evaluate', { expression: 'x + 1', frameId, context: 'watch' });
  await session.ask('variables', { variablesReference: pointer.variablesReference });
  const data = await session.ask('dataBreakpointInfo', { variablesReference: members[1].variablesReference, name: '[1]' });
  assert.strictEqual(data.description, 'all.counts[1]');
  await session.ask('dataBreakpointInfo', { variablesReference: found.all, name: 'sum' });
  await session.end();
}

async function changes() {
  const session = new Session('other values for registers, elements and variables');
  const file = path.resolve('programs/saxpy.yaml'), source = { path: file };
  await session.client.start();
  const { body } = await session.client.send('initialize', { adapterID: 'hexec', linesStartAt1: true, columnsStartAt1: true });
  assert(body.supportsSetVariable && body.supportsSetExpression, plain(body));
  await session.until('initialized', 'launch', { program: file });
  await session.ask('setBreakpoints', { source, breakpoints: [{ line: 25, condition: 'r0 == 40' }, { line: 28, condition: 'r0 == 40' }] }, true);
  const { threadId } = await session.until('stopped', 'configurationDone');
  const frameId = await session.where(threadId);
  const { scopes } = await session.ask('scopes', { frameId }, true);
  const { variables: lanes } = await session.ask('variables', { variablesReference: scopes[1].variablesReference }, true);
  const { variables: buffers } = await session.ask('variables', { variablesReference: scopes[3].variablesReference }, true);
  const r3 = lanes.find((one) => one.name === 'r3'), y = buffers.find((one) => one.name === 'y');
  await session.ask('setVariable', { variablesReference: scopes[0].variablesReference, name: 'r3', value: '2.5 * 4' });
  await session.ask('setVariable', { variablesReference: r3.variablesReference, name: 'lane 9 (thread 41)', value: '100' });
  await session.ask('setVariable', { variablesReference: y.variablesReference, name: '[40]', value: '7', format: { hex: true } });
  await session.ask('setExpression', { expression: 'y[41]', value: 'x[2]', frameId });
  await session.ask('setVariable', { variablesReference: scopes[1].variablesReference, name: 'r3', value: '1' });
  await session.ask('setVariable', { variablesReference: scopes[2].variablesReference, name: 'n', value: '1' });
  await session.ask('setVariable', { variablesReference: scopes[0].variablesReference, name: 'p0', value: 'true' });
  await session.ask('setExpression', { expression: 'y[40]', value: 'nothing', frameId });
  await session.ask('setVariable', { variablesReference: 9999, name: 'r3', value: '1' });
  await session.until('stopped', 'continue', { threadId });
  await session.ask('evaluate', { expression: 'y[40] + 1000 * y[41]', context: 'watch' }); // 2 * 10 + 7, and 2 * 100 + 2
  await session.until('stopped', 'reverseContinue', { threadId });
  await session.until('stopped', 'stepBack', { threadId });
  await session.ask('evaluate', { expression: 'y[40]', context: 'watch' });
  await session.until('stopped', 'continue', { threadId });
  await session.until('stopped', 'continue', { threadId });
  await session.ask('evaluate', { expression: 'y[40] + 1000 * y[41]', context: 'watch' });
  await session.end();

  const compiled = new Session('the same of variables of a kernel in OpenCL C');
  await compiled.begin({ program: path.resolve('tests/golden/debug/variables.cl'), args: ['--block', '4', '--arg', 'f32:4:iota', '--arg', 'shared:16'] });
  await compiled.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'twice', condition: 'value == 2' }] }, true);
  const stopped = await compiled.until('stopped', 'configurationDone');
  const { stackFrames } = await compiled.ask('stackTrace', { threadId: stopped.threadId }, true);
  const called = (await compiled.ask('scopes', { frameId: stackFrames[0].id }, true)).scopes;
  await compiled.ask('setVariable', { variablesReference: called[0].variablesReference, name: 'value', value: '21' });
  const calling = (await compiled.ask('scopes', { frameId: stackFrames[1].id }, true)).scopes;
  const { variables: locals } = await compiled.ask('variables', { variablesReference: calling[1].variablesReference }, true);
  const all = locals.find((one) => one.name === 'all');
  const { variables: members } = await compiled.ask('variables', { variablesReference: all.variablesReference }, true);
  await compiled.ask('setVariable', { variablesReference: members[1].variablesReference, name: '[1]', value: '33' });
  await compiled.ask('setVariable', { variablesReference: calling[1].variablesReference, name: 'all', value: '1' });
  await compiled.ask('setExpression', { expression: 'all.sum', value: '0.5', frameId: stackFrames[1].id });
  await compiled.until('stopped', 'stepOut', { threadId: stopped.threadId });
  await compiled.ask('evaluate', { expression: 'all', context: 'watch' });
  await compiled.end();
}

async function faults() {
  const session = new Session('a fault, and a branch that splits a warp');
  const file = path.join(folder, 'wrong.yaml');
  await session.begin({ program: file });
  await session.ask('setExceptionBreakpoints', { filters: ['fault'] });
  const { threadId } = await session.until('stopped', 'configurationDone');
  await session.ask('exceptionInfo', { threadId });
  await session.where(threadId);
  await session.until('terminated', 'continue', { threadId });
  await session.ask('stackTrace', { threadId });
  await session.end();

  const checked = new Session('a finding of --check');
  await checked.begin({ program: file, args: ['--check', 'memory'] });
  await checked.ask('setExceptionBreakpoints', { filters: ['finding'] });
  const found = await checked.until('stopped', 'configurationDone');
  await checked.ask('exceptionInfo', { threadId: found.threadId });
  await checked.until('stopped', 'reverseContinue', { threadId: found.threadId });
  await checked.ask('setExceptionBreakpoints', { filters: [] });
  await checked.until('terminated', 'continue', { threadId: found.threadId });
  await checked.end();

  const split = new Session('branches that split a warp');
  await split.begin({ program: path.resolve('programs/collatz.yaml') });
  await split.ask('setExceptionBreakpoints', { filters: ['diverge'] });
  const stop = await split.until('stopped', 'configurationDone');
  await split.ask('exceptionInfo', { threadId: stop.threadId });
  await split.until('stopped', 'next', { threadId: stop.threadId });
  const { threads } = await split.ask('threads', {}, true);
  console.log(`   ${plain(threads.filter(({ name }) => name.includes('paths')))}`);
  await split.end();
}

async function endless() {
  const session = new Session('a program without an end');
  const file = path.join(folder, 'endless.yaml'), source = { path: file };
  await session.begin({ program: file });
  await session.ask('configurationDone');
  await session.ask('stackTrace', { threadId: 1 });
  const { threadId } = await session.until('stopped', 'pause', { threadId: 1 });
  await session.ask('continue', { threadId });
  await session.until('stopped', 'setBreakpoints', { source, breakpoints: [{ line: 5 }] });
  await session.ask('setBreakpoints', { source, breakpoints: [] });
  await session.ask('continue', { threadId });
  await session.until('stopped', 'pause', { threadId: 1 });
  await session.ask('continue', { threadId });
  await session.until('terminated', 'terminate');
  await session.end();
}

async function reported() {
  const broken = new Session('a program that does not compile');
  await broken.client.start();
  await broken.ask('initialize', { adapterID: 'hexec' }, true);
  await broken.ask('launch', { program: path.join(folder, 'bad.cu'), args: ['--arg', 'i32:1'] });
  broken.printed.splice(0).forEach((line) => console.log(line));
  await broken.end();

  const run = new Session('findings of a program that is only run');
  await run.begin({ program: path.join(folder, 'wrong.yaml'), args: ['--check', 'memory'], noDebug: true });
  const exited = run.client.waitForEvent('exited', LIMIT);
  await run.until('terminated', 'configurationDone');
  console.log(`   exited ${plain((await exited).body)}`);
  await run.end();

  const session = new Session('base classes and pointers, and what a command at the console changes');
  const file = path.join(folder, 'nodes.cu'), source = { path: file };
  await session.client.start();
  await session.ask('initialize', { adapterID: 'hexec', linesStartAt1: true, columnsStartAt1: true, supportsInvalidatedEvent: true }, true);
  await session.until('initialized', 'launch', { program: file, args: ['--arg', 'i32:1'] });
  await session.ask('setBreakpoints', { source, breakpoints: [{ line: 14 }] }, true);
  const { threadId } = await session.until('stopped', 'configurationDone');
  const frameId = await session.where(threadId);
  const { scopes } = await session.ask('scopes', { frameId }, true);
  const { variables: locals } = await session.ask('variables', { variablesReference: scopes[1].variablesReference });
  const { variables: members } = await session.ask('variables', { variablesReference: locals[0].variablesReference });
  await session.ask('variables', { variablesReference: members[0].variablesReference });
  const next = members.find((one) => one.name === 'next');
  await session.ask('readMemory', { memoryReference: next.memoryReference, count: 4 });
  const { variables: others } = await session.ask('variables', { variablesReference: next.variablesReference });
  const { variables: [id] } = await session.ask('variables', { variablesReference: others[0].variablesReference });
  await session.ask('evaluate', { expression: id.evaluateName, frameId, context: 'watch' });
  await session.until('invalidated', 'evaluate', { expression: 'set a.id = 7', frameId, context: 'repl' });
  await session.until('breakpoint', 'evaluate', { expression: 'break 10', context: 'repl' });
  await session.until('breakpoint', 'evaluate', { expression: 'disable 1', context: 'repl' });
  await session.until('breakpoint', 'evaluate', { expression: 'delete 1', context: 'repl' });
  for (const text of ['print a.', 'print a.next->i', 'break no', 'step ', 'delete ', 'focus w', 'print/x b.f', 'where '])
    await session.ask('completions', { frameId, text, column: text.length + 1 });
  await session.end();

  const linked = new Session('a file that was found by a link');
  const link = path.join(folder, 'link/twice.cl');
  await linked.begin({ program: link, args: ['--block', '4', '--arg', 'f32:4'], stopOnEntry: true });
  await linked.ask('setBreakpoints', { source: { path: link }, breakpoints: [{ line: 4 }] });
  const { threadId: thread } = await linked.until('stopped', 'configurationDone');
  await linked.where(thread);
  await linked.end();
}

async function mistakes() {
  const session = new Session('what cannot be done');
  await session.client.start();
  await session.ask('initialize', { adapterID: 'hexec' }, true);
  await session.ask('threads');
  await session.ask('attach', { processId: 1 });
  await session.ask('launch', {});
  await session.ask('launch', { program: 'nowhere.yaml' });
  await session.ask('launch', { program: path.resolve('programs/saxpy.yaml'), args: ['--gird', '1'] });
  await session.ask('launch', { program: path.resolve('programs/saxpy.yaml'), args: [1] });
  await session.until('initialized', 'launch', { program: path.resolve('programs/saxpy.yaml') });
  await session.ask('setBreakpoints', { source: { path: path.resolve('README.md') }, breakpoints: [{ line: 1 }] });
  await session.ask('setDataBreakpoints', { breakpoints: [{ dataId: 'y[1]' }] });
  await session.ask('stackTrace', { threadId: 1 });
  await session.ask('continue', { threadId: 1 });
  await session.ask('dance');
  await session.until('stopped', 'evaluate', { expression: 'stepi', context: 'repl' });
  await session.ask('stackTrace', { threadId: 77777 });
  await session.ask('scopes', { frameId: 9 });
  await session.ask('variables', { variablesReference: 12 });
  await session.ask('readMemory', { memoryReference: 'nowhere', count: 4 });
  await session.ask('disassemble', { memoryReference: 'x', instructionCount: 1 });
  await session.ask('source', { sourceReference: 3 });
  await session.end();
}

(async () => {
  await stepsAndValues();
  await calls();
  await compiled();
  await variables();
  await changes();
  await faults();
  await reported();
  await endless();
  await mistakes();
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
