/**
 * Returns the processor time that work takes on this thread, in ms: unlike the time on the clock, it does not grow with
 * what else the machine does.
 */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
