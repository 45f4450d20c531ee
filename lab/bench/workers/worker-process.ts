import type { AddressInfo } from 'node:net'
import type { Ready } from './messages.ts'

/** Sends the bench the address of this worker, which ends with the bench. */
export function announce(address: string | AddressInfo | null): void {
  if (address === null || typeof address === 'string') throw new Error('The worker has no port.')
  process.once('disconnect', () => process.exit(0))
  process.send?.({ url: `http://127.0.0.1:${address.port}` } satisfies Ready)
}

/** Runs the jobs that the bench sends to this process, which ends with the bench. */
export function serveJobs<Job, Result>(run: (job: Job) => Promise<Result>): void {
  process.once('disconnect', () => process.exit(0))
  process.on('message', (job: Job) => {
    run(job).then(
      result => process.send?.({ result }),
      (error: unknown) => process.send?.({ failure: String(error) }),
    )
  })
}
