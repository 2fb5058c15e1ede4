// usage: vscode.js FOLDER: what the extension computes, and the colours of its grammars. FOLDER has the extension with its
// packages; standard input is what hexec said of wrong programs.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const [folder] = process.argv.slice(2);
const load = (name) => require(path.join(folder, name));
const plain = load('plain.js'), manifest = load('package.json');
const oniguruma = load('node_modules/vscode-oniguruma'), textmate = load('node_modules/vscode-textmate');

function computed() {
  assert.deepStrictEqual(plain.adapterCommand({}, ''), { command: 'hexec', args: ['debug', '--dap'] });
  assert.strictEqual(plain.adapterCommand({ hexec: '/x/hexec' }, '/y').command, '/x/hexec');
  assert.strictEqual(plain.adapterCommand({}, '~/bin/hexec').command, `${require('os').homedir()}/bin/hexec`);
  assert.strictEqual(plain.launchProblem({ program: 'a.cl', args: ['--grid', '4'] }), undefined);
  assert.match(plain.launchProblem({}), /program/);
  assert.match(plain.launchProblem({ program: 'a.cl', args: '--grid 4' }), /args/);
  assert.match(plain.missingCommand({ code: 'ENOENT' }, '/x/hexec'), /'\/x\/hexec'.*hexec\.path/);
  assert.strictEqual(plain.missingCommand({ code: 2 }, 'hexec'), undefined);
  assert.strictEqual(plain.completeLaunch({}, '/a.yaml').program, '/a.yaml');
  assert.strictEqual(plain.completeLaunch({ type: 'hexec' }, '/a.yaml').program, undefined);
  assert(plain.takesArguments('/a b/x.cl') && !plain.takesArguments('/x.cl/a.yaml'));
  assert.deepStrictEqual(plain.splitOptions(` --arg 'f32:4:values 1 2'  --options="-D N=4" --arg 3 `),
    ['--arg', 'f32:4:values 1 2', '--options=-D N=4', '--arg', '3']);
  assert.deepStrictEqual(plain.splitOptions(''), []);
  assert.deepStrictEqual(plain.taskWords({ command: 'run', program: 'a.yaml', args: ['--check', 'all'] }),
    ['run', 'a.yaml', '--check', 'all']);
  assert.strictEqual(plain.messageCode('x.yaml:3:7: error[HX1205]: no'), 'HX1205');
  assert.strictEqual(plain.messageCode('nothing'), undefined);
  const kinds = { 'programs/saxpy.yaml': 'program', 'isa/hexec.yaml': 'isa', 'tests/clients/package.json': undefined };
  for (const [file, kind] of Object.entries(kinds))
    assert.strictEqual(plain.schemaKind(fs.readFileSync(file, 'utf8')), kind, file);
}

// Each line that VS Code must mark: errors, warnings and findings with their places.
function problems() {
  const { pattern } = manifest.contributes.problemMatchers[0];
  const expression = new RegExp(pattern.regexp);
  const found = fs.readFileSync(0, 'utf8').split('\n').map((line) => expression.exec(line)).filter(Boolean)
    .map((match) => [path.basename(match[pattern.file]), match[pattern.line], match[pattern.severity], match[pattern.code]].join(' '));
  console.log(found.join('\n'));
}

async function colours() {
  await oniguruma.loadWASM(fs.readFileSync(path.join(folder, 'node_modules/vscode-oniguruma/release/onig.wasm')).buffer);
  const grammars = new Map(manifest.contributes.grammars.map((one) => [one.scopeName, path.join(folder, one.path)]));
  const others = { // of VS Code itself, in brief
    'source.yaml': { patterns: [{ match: '#.*$', name: 'comment.yaml' }] },
    'source.c': { patterns: [{ match: '\\bif\\b', name: 'keyword.control.c' }] },
  };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => (others[name]
      ? textmate.parseRawGrammar(JSON.stringify({ scopeName: name, ...others[name] }), `${name}.json`)
      : grammars.has(name) ? textmate.parseRawGrammar(fs.readFileSync(grammars.get(name), 'utf8'), grammars.get(name)) : null),
    getInjections: (name) => (name === 'source.yaml' ? ['source.hexec-asm.yaml'] : []),
  });
  const expected = {
    'source.yaml': ['programs/saxpy.yaml', {
      'mad': 'support.function.opcode', '.u32': 'storage.type', 'r0': 'variable.other.register', '@p0': 'keyword.control.guard',
      '%ctaid.x': 'variable.language.special', '$n': 'variable.parameter', '4': 'constant.numeric', 'exit': 'keyword.control',
      '# i': 'comment.line' }],
    'source.ptx': ['programs/cuda/saxpy.ptx', {
      '.entry': 'storage.modifier', 'mov': 'support.function.opcode', '%r1': 'variable.other.register', 'ret': 'keyword.control' }],
    'source.opencl': ['programs/opencl/softmax.cl', {
      'kernel': 'storage.modifier', 'get_local_id': 'support.function', 'barrier': 'support.function', 'CLK_LOCAL_MEM_FENCE': 'constant.language',
      'if': 'keyword.control.c' }],
  };
  for (const [scope, [file, wanted]] of Object.entries(expected)) {
    const grammar = await registry.loadGrammar(scope);
    const seen = new Map();
    let state = textmate.INITIAL;
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      for (const { startIndex, endIndex, scopes } of tokens)
        seen.set(line.slice(startIndex, endIndex), [...(seen.get(line.slice(startIndex, endIndex)) || []), scopes.join(' ')]);
    }
    for (const [text, name] of Object.entries(wanted))
      assert((seen.get(text) || []).some((scopes) => scopes.includes(name)), `${file}: '${text}' is ${seen.get(text)}, not ${name}`);
    assert(scope !== 'source.yaml' || !(seen.get('expect:') || ['']).some((scopes) => scopes.includes('hexec-asm')), 'code: ends');
  }
}

computed();
problems();
colours().catch((error) => {
  console.error(error);
  process.exit(1);
});
