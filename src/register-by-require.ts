/**
 * What `require()` and `--require` load in place of `register.ts`, as the one CommonJS file of the package. Module hooks
 * (`module.register`) live in a thread of Node's own, which loads what `--require` names as well; on Node 22 that thread
 * cannot require an ES module. It serves nothing, so there is nothing to turn on in it.
 */
const threads = process.getBuiltinModule('node:worker_threads');
// Node 20 cannot tell that thread; it can load an ES module there.
const isInternalThread = 'isInternalThread' in threads && threads.isInternalThread === true;

if (!isInternalThread) require('./register.js');
