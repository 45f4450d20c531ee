/** The monotonic clock of the machine, in ms: the same in every process on it, unlike `performance.now()`. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
