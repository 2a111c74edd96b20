// Loaded before a program: tells at its end on stderr how many seconds of CPU it took, and its peak memory in kilobytes.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(`cost ${(userCPUTime + systemCPUTime) / 1e6} ${maxRSS}\n`);
});
