// hexec in VS Code: starts the debugger, runs tasks, explains codes, and gives schemas to the YAML extension.
"use strict";

const childProcess = require("child_process");
const vscode = require("vscode");
const plain = require("./plain");

const SCHEMA_PREFIX = "hexec://schema/";

function setting() {
  return vscode.workspace.getConfiguration("hexec").get("path");
}

// Standard output of hexec; what it says of a failure is the error.
function output(words, configuration = {}, folder = undefined) {
  const { command } = plain.adapterCommand(configuration, setting());
  const options = { cwd: folder && folder.uri.fsPath, env: { ...process.env, ...configuration.env } };
  return new Promise((resolve, reject) => {
    childProcess.execFile(command, words, options, (error, out, said) => {
      if (error)
        reject(new Error(plain.missingCommand(error, command) || said || error.message));
      else
        resolve(out);
    });
  });
}

// VS Code says nothing of an adapter that cannot be started. It is sought as the adapter will be.
async function isThere(configuration, folder) {
  try {
    await output(["--version"], configuration, folder);
    return true;
  } catch (error) {
    const open = "Open settings";
    if (await vscode.window.showErrorMessage(error.message, open) === open)
      await vscode.commands.executeCommand("workbench.action.openSettings", "hexec.path");
    return false;
  }
}

class Configurations {
  // Keeps the options that were given last for a file.
  constructor(memory) {
    this.memory = memory;
  }

  async resolveDebugConfiguration(_folder, configuration) {
    const editor = vscode.window.activeTextEditor;
    const launch = plain.completeLaunch(configuration, editor && editor.document.fileName);
    if (launch === configuration || !plain.takesArguments(launch.program))
      return launch;
    const key = `options of ${launch.program}`;
    const options = await vscode.window.showInputBox({
      title: "Debug this kernel on hexec",
      prompt: "Its launch: --grid and --block, and --arg for each parameter, in order",
      placeHolder: "--grid 4 --block 256 --arg 1000 --arg f32:1000:iota",
      value: this.memory.get(key, ""),
      ignoreFocusOut: true,
    });
    if (options === undefined)
      return undefined;
    await this.memory.update(key, options);
    return { ...launch, args: plain.splitOptions(options) };
  }

  // Variables such as ${file} have their values here.
  async resolveDebugConfigurationWithSubstitutedVariables(folder, configuration) {
    const problem = plain.launchProblem(configuration);
    if (problem === undefined)
      return await isThere(configuration, folder) ? configuration : undefined;
    vscode.window.showErrorMessage(problem);
    return undefined;
  }
}

class Adapters {
  createDebugAdapterDescriptor(session) {
    const { command, args } = plain.adapterCommand(session.configuration, setting());
    const folder = session.workspaceFolder && session.workspaceFolder.uri.fsPath;
    return new vscode.DebugAdapterExecutable(command, args, { cwd: folder, env: session.configuration.env });
  }
}

class Tasks {
  provideTasks() {
    return [];
  }

  resolveTask(task) {
    const { command } = plain.adapterCommand({}, setting());
    const execution = new vscode.ProcessExecution(command, plain.taskWords(task.definition));
    const scope = task.scope === undefined ? vscode.TaskScope.Workspace : task.scope;
    return new vscode.Task(task.definition, scope, task.name, "hexec", execution, "$hexec");
  }
}

// The word at the cursor may be a code; if it is none, the user is asked.
async function explain() {
  const editor = vscode.window.activeTextEditor;
  const line = editor ? editor.document.lineAt(editor.selection.active.line).text : "";
  const code = plain.messageCode(line) ||
    plain.messageCode(await vscode.window.showInputBox({ prompt: "A code of hexec, such as HX2010" }) || "");
  if (!code)
    return;
  try {
    const content = await output(["explain", code, "--color", "never"]);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content }));
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

// The YAML extension, where it is installed, completes and checks programs by hexec's schemas.
async function registerSchemas() {
  const yaml = vscode.extensions.getExtension("redhat.vscode-yaml");
  const api = yaml && await yaml.activate();
  if (!api || !api.registerContributor)
    return;
  api.registerContributor("hexec", (resource) => {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === resource);
    const kind = document && plain.schemaKind(document.getText());
    return kind && SCHEMA_PREFIX + kind;
  }, (uri) => output(["schema", uri.slice(SCHEMA_PREFIX.length)]));
}

function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("hexec", new Configurations(context.workspaceState)),
    vscode.debug.registerDebugAdapterDescriptorFactory("hexec", new Adapters()),
    vscode.tasks.registerTaskProvider("hexec", new Tasks()),
    vscode.commands.registerCommand("hexec.explain", explain));
  registerSchemas().catch((error) => vscode.window.showWarningMessage(`hexec's schemas: ${error.message}`));
}

module.exports = { activate };
