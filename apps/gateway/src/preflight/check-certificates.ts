import { readCertificateExpiry, type TlsServer } from '../adapters/certificates.ts'
import type { Clock } from '../ports.ts'
import { type Check, describeFailure, failed, ok, warning } from './check.ts'

/** Rest of its life from which on a certificate is to be replaced, in days: that of FareboxCertificateExpires. */
const DAYS_MIN = 14
const DAY_MS = 86_400_000

/** Returns a check of each server's certificate. Other checks say whether it is trusted, and the server within reach. */
export function checkCertificates(servers: readonly TlsServer[], machine: Clock): Check[] {
  return servers.map(server => ({
    name: `certificate of ${server.host}`,
    async judge() {
      const { setting } = server
      const expiry = await readCertificateExpiry(server).catch((error: unknown) => describeFailure(error))
      if (typeof expiry === 'string')
        return warning(
          `${setting}: the certificate cannot be read from here (${expiry}).`,
          'Watch it from where its clients are.',
        )
      const days = (expiry - machine.now()) / DAY_MS
      const date = new Date(expiry).toISOString().slice(0, 10)
      const advice = 'Replace it (docs/operations.md, "A certificate expires").'
      if (days <= 0) return failed(`${setting}: the certificate expired on ${date}.`, advice)
      const found = `expires on ${date}, in ${Math.floor(days)} days`
      return days < DAYS_MIN ? warning(`${setting}: the certificate ${found}.`, advice) : ok(found)
    },
  }))
}
