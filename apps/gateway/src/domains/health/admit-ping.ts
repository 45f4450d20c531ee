import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { admitAtRate } from '../../runtime/rate-window.ts'
import { lockPingWindows, writePingWindows } from './ping-store.ts'

/**
 * Counts a ping towards the limits of its service and of each target's host, over all gateways, as every ping sends a
 * signed request to a server that may belong to a third party. A refused ping counts towards none.
 *
 * @throws GatewayError RATE_LIMITED with `detail.limit`, `detail.perMinute` and `Retry-After`
 */
export async function admitPing(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  ping: { serviceId: string; urls: readonly string[] },
): Promise<void> {
  const perMinute = config.PINGS_PER_MINUTE
  const hosts = ping.urls.map(url => `host ${new URL(url).host}`)
  const keys = [...new Set([`service ${ping.serviceId}`, ...hosts])]
  await db.transaction(async tx => {
    const decided = (await lockPingWindows(tx, keys)).map(({ key, window, now }) => {
      return { key, ...admitAtRate(perMinute, window, now) }
    })
    const refused = decided.filter(({ isAdmitted }) => !isAdmitted).toSorted((a, b) => b.seconds - a.seconds)
    const [last] = refused
    if (last !== undefined) throw tooMany(last, perMinute)
    await writePingWindows(tx, decided)
  })
}

/**
 * Counts an unscheduled probe of a changed service like a ping.
 *
 * @returns false beyond the limits: it is then left to the schedule
 */
export async function admitProbe(
  deps: Pick<Deps, 'db' | 'config'>,
  probe: { serviceId: string; urls: readonly string[] },
): Promise<boolean> {
  try {
    await admitPing(deps, probe)
    return true
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'RATE_LIMITED') return false
    throw error
  }
}

function tooMany({ key, seconds }: { key: string; seconds: number }, perMinute: number): GatewayError {
  const isHost = key.startsWith('host ')
  const what = isHost ? 'Targets at one host' : 'A service'
  const message = `${what} can be probed on request ${perMinute} times a minute. Wait ${seconds} seconds, or for the next probe.`
  const limit = isHost ? 'pings_per_host' : 'pings_per_service'
  return new GatewayError('RATE_LIMITED', { limit, perMinute }, { message, retryAfterSeconds: seconds })
}
