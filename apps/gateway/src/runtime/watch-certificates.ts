import { readCertificateExpiry, type TlsServer } from '../adapters/certificates.ts'
import type { Clock, Log, Metrics } from '../ports.ts'
import type { Job } from './jobs.ts'

/** Interval of reads, in ms: shorter than the half hour after which a job stands still (deploy/prometheus). */
const READ_EVERY_MS = 1_200_000

/**
 * Returns the job that sets `farebox_certificate_expires_seconds`: of several servers with one label, that of the
 * certificate that expires first. A server that cannot be read keeps its last expiry; others report that it is away.
 */
export function certificateJobs(
  servers: readonly TlsServer[],
  { clock, log, metrics }: { clock: Pick<Clock, 'now'>; log: Log; metrics: Pick<Metrics, 'set'> },
): Job[] {
  if (servers.length === 0) return []
  const expiries = new Map<TlsServer, number>()
  const read = async (server: TlsServer, signal: AbortSignal) => {
    try {
      expiries.set(server, await readCertificateExpiry(server, signal))
    } catch (err) {
      log.debug({ host: server.host, setting: server.setting, err }, 'a certificate could not be read')
    }
  }
  const run = async (signal: AbortSignal) => {
    await Promise.all(servers.map(server => read(server, signal)))
    for (const name of new Set(servers.map(({ server }) => server))) {
      const own = [...expiries].filter(([{ server }]) => server === name).map(([, at]) => at)
      if (own.length === 0) continue
      metrics.set(
        'farebox_certificate_expires_seconds',
        { server: name },
        (Math.min(...own) - clock.now()) / 1_000,
      )
    }
  }
  return [{ name: 'read-certificates', everyMs: READ_EVERY_MS, run }]
}
