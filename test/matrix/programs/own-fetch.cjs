// Node's own fetch, loaded before the undici package: undici 8 puts its agent under the fetch of Node 22.
fetch('data:,').catch(() => {});
const agentUnder = (version) => globalThis[Symbol.for(`undici.globalDispatcher.${version}`)];

/** The agent that Node itself made for it. */
module.exports.ownAgent = agentUnder(2) ?? agentUnder(1);
