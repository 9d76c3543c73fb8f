// Preloaded into the Node.js processes that the CLI starts. A fourth of each command goes into compiling a thousand modules of the
// repository: this keeps V8's result in a file. From version 22, Node.js does so itself.
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { deserialize, serialize, setFlagsFromString } = require('node:v8');
const { constants, Script } = require('node:vm');

const repository = join(__dirname, '../../');
const folder = join(repository, '.reports/compiled');
// The SDK sets it later, and V8 discards what it made with other flags.
setFlagsFromString('--allow-natives-syntax');
if (Module.enableCompileCache) Module.enableCompileCache(folder);
else keepCompiled(join(folder, 'node-20'));

function keepCompiled(file) {
  let kept;
  const missed = new Map();
  const compileAnew = Module.prototype._compile;
  Module.prototype._compile = function (content, filename, format) {
    const script = filename.startsWith(repository) && compile(content, filename);
    if (!script) return compileAnew.call(this, content, filename, format);
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
  };
  process.on('exit', () => {
    if (missed.size === 0) return;
    // With the functions that have been compiled since.
    for (const [filename, { mtimeMs, script }] of missed)
      kept.set(filename, { mtimeMs, cachedData: script.createCachedData() });
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, serialize(kept));
    renameSync(`${file}.${process.pid}`, file);
  });

  /** A script that returns the function of a CommonJS module. Node.js compiles an ES module. */
  function compile(content, filename) {
    const { mtimeMs } = statSync(filename);
    kept ??= read(file);
    const known = kept.get(filename);
    const cachedData = known?.mtimeMs === mtimeMs ? known.cachedData : undefined;
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    try {
      const script = new Script(Module.wrap(content), { filename, cachedData, importModuleDynamically });
      if (script.cachedDataRejected !== false) missed.set(filename, { mtimeMs, script });
      return script;
    } catch {
      return undefined;
    }
  }
}

function read(file) {
  try {
    return deserialize(readFileSync(file));
  } catch {
    return new Map();
  }
}

function requireOf(module) {
  const resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  const { _cache: cache, _extensions: extensions } = Module;
  return Object.assign((id) => module.require(id), { resolve, main: process.mainModule, cache, extensions });
}
