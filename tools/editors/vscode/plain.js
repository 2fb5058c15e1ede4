// What the extension computes without VS Code: so that a test can call it.
"use strict";

const os = require("os");

// The command that serves the debugger: what a launch says goes before the setting.
function adapterCommand(configuration, setting) {
  const path = configuration.hexec || setting || "hexec";
  return { command: path.startsWith("~/") ? os.homedir() + path.slice(1) : path, args: ["debug", "--dap"] };
}

// What a user should do when the command is not there; undefined: it is there.
function missingCommand(error, command) {
  if (error.code !== "ENOENT" && error.code !== "EACCES")
    return undefined;
  return `'${command}' cannot be run: install hexec, or let the setting hexec.path say where it is.`;
}

// What is wrong with a launch, in words; undefined: nothing.
function launchProblem(configuration) {
  if (typeof configuration.program !== "string" || configuration.program === "")
    return "The launch needs 'program': a .yaml, .ptx, .cl or .cu file.";
  const args = configuration.args;
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === "string")))
    return "'args' is a list of texts: [\"--grid\", \"4\"].";
  return undefined;
}

// A launch without contents, as F5 in a file gives it, debugs that file.
function completeLaunch(configuration, file) {
  if (configuration.type || configuration.request || configuration.name || !file)
    return configuration;
  return { type: "hexec", request: "launch", name: "hexec", program: file, args: [], stopOnEntry: true };
}

// Only a program in YAML says itself what its kernels are given.
function takesArguments(program) {
  return /\.(?:cl|cu|ptx)$/i.test(program);
}

// Words as a shell splits them, with quotation marks around blanks.
function splitOptions(text) {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) || []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

// The words of a task's command line.
function taskWords(definition) {
  return [definition.command, definition.program, ...(definition.args || [])];
}

// The kind of a YAML file, as `hexec schema KIND` names them; undefined: it is none of hexec's.
function schemaKind(text) {
  const keys = { program: "program", isa: "isa", gpu: "device", vectors: "test" };
  const further = { program: /^(code|kernels|source|ptx):/m, isa: /^opcodes:/m, gpu: /^sms:/m, vectors: /^cases:/m };
  for (const [key, kind] of Object.entries(keys))
    if (new RegExp(`^${key}:`, "m").test(text) && further[key].test(text))
      return kind;
  return undefined;
}

// The code of one of hexec's messages: HX2010.
function messageCode(text) {
  const found = /\bHX\d{4}\b/.exec(text);
  return found ? found[0] : undefined;
}

module.exports = { adapterCommand, completeLaunch, launchProblem, messageCode, missingCommand, schemaKind, splitOptions, takesArguments, taskWords };
