import { readFile } from 'node:fs/promises'

/** Resident memory of a process, in MiB: now, and at its highest since it started. */
export type Memory = { readonly nowMiB: number; readonly peakMiB: number }

/** Reads the memory of a process as proc(5) tells it; null on systems without /proc. */
export async function readMemory(pid: number): Promise<Memory | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  const mebibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1]) / 1_024
  return status === null ? null : { nowMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') }
}
