import { minUsdc, type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../../ports.ts'
import type { LockedBooks } from '../lock-books.ts'
import {
  type ChainFindingKind,
  findChainFinding,
  lockChainFinding,
  resolveChainFinding,
  type SettledChainFinding,
} from './chain-findings.ts'

/** Stored settlement of a disagreement by an admin. */
export type Settlement = {
  readonly kind: 'redemption-adopted' | 'deposit-reversed'
  readonly wallet: string
  /** Charged to the wallet. */
  readonly charged: Usdc
  /** Borne by the platform. */
  readonly borne: Usdc
}

/** A disagreement closed by an act. */
export type Settled = Settlement & { readonly finding: SettledChainFinding }

/** Called in the transaction that closes a disagreement. An error that it throws rolls the act back. */
export type OnSettled = (tx: Tx, change: { before: SettledChainFinding; after: Settled }) => Promise<unknown>

const ID = /^[1-9]\d{0,17}$/

/**
 * Returns an open disagreement.
 *
 * @param id   id as sent by a client
 * @param kind kind that the act applies to
 * @throws GatewayError NOT_FOUND; INVALID_STATE if it is settled or of another kind
 */
export async function openFinding(
  db: Queryable,
  id: string,
  kind: ChainFindingKind,
): Promise<SettledChainFinding> {
  return assertOpen(ID.test(id) ? await findChainFinding(db, BigInt(id)) : undefined, kind)
}

/**
 * Locks an open disagreement.
 *
 * @throws GatewayError INVALID_STATE if it was settled meanwhile
 */
export async function lockOpenFinding(tx: Tx, { id, kind }: SettledChainFinding): Promise<void> {
  assertOpen(await lockChainFinding(tx, id), kind)
}

/** Amount moved on chain, and the account to charge for it. */
type Claim = Pick<Settlement, 'kind' | 'wallet'> & {
  readonly amount: Usdc
  /** Maximum charge of the wallet. */
  readonly chargedMax: Usdc
}

const RESOLUTIONS = { 'redemption-adopted': 'adopted', 'deposit-reversed': 'reversed' } as const

/** Returns the movements that {@link settle} may post; lock their accounts before the records. */
export function movementsOf(finding: Pick<SettledChainFinding, 'id'>, { kind, wallet, amount }: Claim) {
  const reference = `fnd_${finding.id}`
  return [
    { kind, wallet, amount, reference },
    { kind: 'loss', amount, reference },
  ] as const
}

/**
 * Books the amount moved on chain: charges the wallet up to its balance and the platform's losses for the rest. Closes
 * the locked disagreement and calls back.
 *
 * @param books accounts of {@link movementsOf}
 */
export async function settle(
  tx: Tx,
  books: LockedBooks,
  finding: SettledChainFinding,
  claim: Claim,
  onSettled: OnSettled,
): Promise<Settled> {
  const { id, subject } = finding
  const { kind, wallet, amount, chargedMax } = claim
  const isOfProvider = kind === 'redemption-adopted'
  const charged = minUsdc(chargedMax, isOfProvider ? books.receivable(wallet) : books.available(wallet))
  const borne = usdc(amount - charged)
  const [charge, loss] = movementsOf(finding, claim)
  const charging = { ...charge, amount: charged }
  const promotional = books.promotionalOf(charging)
  const isPosted = books.post(charging) && books.post({ ...loss, amount: borne })
  if (!isPosted) throw new RangeError(`The settlement of ${subject} could not be posted.`)
  await books.write()
  await writeSettlement(tx, id, { kind, wallet, charged, borne, promotional })
  const resolution = RESOLUTIONS[kind]
  await resolveChainFinding(tx, { kind: finding.kind, subject, resolution })
  const ended = await findChainFinding(tx, id)
  if (ended === undefined) throw new Error(`The finding ${id} is gone.`)
  const after = { kind, wallet, charged, borne, finding: ended }
  await onSettled(tx, { before: finding, after })
  return after
}

async function writeSettlement(
  tx: Tx,
  findingId: bigint,
  settlement: Settlement & { promotional: Usdc },
): Promise<void> {
  const { kind, wallet, charged, borne, promotional } = settlement
  await tx.query(sql`
    insert into settlements (finding_id, kind, wallet, charged, borne, promotional)
    values (${findingId}, ${kind}, ${wallet}, ${charged}, ${borne}, ${promotional})`)
}

function assertOpen(finding: SettledChainFinding | undefined, kind: ChainFindingKind): SettledChainFinding {
  if (finding === undefined) {
    throw new GatewayError('NOT_FOUND', {}, { message: 'There is no such finding.' })
  }
  if (finding.resolution !== null) {
    const { resolution } = finding
    const message = `The finding is settled already (${resolution}).`
    throw new GatewayError('INVALID_STATE', { resolution }, { message })
  }
  if (finding.kind !== kind) {
    const message = `This act does not settle a finding of the kind ${finding.kind}.`
    throw new GatewayError('INVALID_STATE', { kind: finding.kind }, { message })
  }
  return finding
}
