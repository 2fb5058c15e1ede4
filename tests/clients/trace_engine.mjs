// usage: trace_engine.mjs TRACE: the model behind the Performance panel of Chrome's developer tools reads a trace; prints
// for each thread its name, how many entries it has and how deep they nest, as one JSON object.
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';

globalThis.DOMRect = class DOMRect { // a browser has it
  constructor(x, y, width, height) { Object.assign(this, { x, y, width, height }); }
  static fromRect(rect) { return new DOMRect(rect.x, rect.y, rect.width, rect.height); }
};
const folder = path.join(process.env.NODE_PATH, '@paulirish', 'trace_engine');
const { TraceModel } = await import(url.pathToFileURL(path.join(folder, 'models', 'trace', 'trace.js')).href);
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).traceEvents);
const threads = {};
for (const [, process_] of model.parsedTrace().data.Renderer.processes)
  for (const [, thread] of process_.threads)
    threads[thread.name] = { entries: thread.entries.length, depth: thread.tree ? thread.tree.maxDepth : 0 };
console.log(JSON.stringify(threads));
