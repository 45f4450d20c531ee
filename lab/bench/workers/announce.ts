import type { AddressInfo } from 'node:net'
import type { Ready } from '../messages.ts'

/** Tells the bench where this worker listens. The worker ends when the bench is gone. */
export function announce(address: string | AddressInfo | null): void {
  if (address === null || typeof address === 'string') throw new Error('The worker has no port.')
  process.once('disconnect', () => process.exit(0))
  process.send?.({ url: `http://127.0.0.1:${address.port}` } satisfies Ready)
}
