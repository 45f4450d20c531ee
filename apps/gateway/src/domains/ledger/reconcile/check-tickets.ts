import { setImmediate } from 'node:timers/promises'
import { type SignedTicket, ticketSigner } from '@farebox/vault'
import sql from 'sql-template-tag'
import type { Address } from 'viem'
import type { Queryable } from '../../../ports.ts'
import type { Finding } from './reconcile-store.ts'

/** Maximum tickets per check, earliest deadline first. */
const TICKETS_MAX = 1_000
/** Signatures verified without a pause: some 20 ms. */
const TICKETS_PER_PAUSE = 10

type OpenTicket = SignedTicket & { readonly id: string; readonly signer: Address }

/** Open tickets that were found intact before, as text of all that was verified. */
let intact: ReadonlySet<string> = new Set()

/**
 * Returns the open tickets that differ from what was signed: a provider may still redeem the one that was. A ticket is
 * verified once per process.
 */
export async function checkTickets(db: Queryable): Promise<readonly Finding[]> {
  const tickets = await db.query<OpenTicket>(sql`
    select id, wallet, amount, nonce, deadline, chain_id, vault, signer, signature from withdrawals
    where status in ('APPROVED_AUTO', 'APPROVED_MANUAL') and signer is not null
    order by deadline limit ${TICKETS_MAX}`)
  const findings: Finding[] = []
  const verified = new Set<string>()
  let signatures = 0
  for (const ticket of tickets) {
    const text = Object.values(ticket).join(' ')
    if (!intact.has(text)) {
      if (signatures > 0 && signatures % TICKETS_PER_PAUSE === 0) await setImmediate()
      signatures += 1
      const found = await ticketSigner(ticket)
      if (found !== ticket.signer) {
        findings.push({
          check: 'a-ticket-is-what-was-signed',
          row: ticket.id,
          expected: `a ticket signed by ${ticket.signer}`,
          found: found === null ? 'no valid signature' : `the signature of another ticket`,
        })
        continue
      }
    }
    verified.add(text)
  }
  intact = verified
  return findings
}
