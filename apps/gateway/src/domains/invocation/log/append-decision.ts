import { type HoldRequest, keyOf } from '../admission/admit.ts'
import { isOwnKey } from '../attempt-keys.ts'
import type { Append } from './append-statement.ts'
import { columnsOf, type Effects } from './ledger-events.ts'
import type { Partition } from './ledger-memory.ts'

/** Returns the row to append for a decision, and what the append requires. */
export function appendOf(
  partition: Partition,
  { holds, effects }: { readonly holds: readonly HoldRequest[]; readonly effects: Effects },
  from: { instanceId: string; feeBps: number; now: Date; live: ReadonlyMap<string, bigint | null> },
): Append {
  const { position } = partition
  if (position === null) throw new Error('The state of a decided partition is unknown.')
  const services = new Map<string, readonly [string, bigint]>()
  for (const { service } of holds) {
    if (service === null) continue
    const { id, version } = service
    if (from.live.has(id) && from.live.get(id) !== version) continue
    services.set(`${id} ${version}`, [id, version])
  }
  const { awaited, ended } = effects
  return {
    partition: partition.number,
    position,
    columns: columnsOf(effects, from),
    keys: holds.filter(
      hold => !isOwnKey(hold.idempotencyKey, hold.invocationId) && partition.keyOf(keyOf(hold)) === undefined,
    ),
    services: [...services.values()],
    answers: ended.map(({ invocationId: id, answer }) => ({ id, ...answer })),
    streams: [...awaited, ...ended].flatMap(({ invocationId: id, recording }) =>
      recording === null ? [] : [{ id, ...recording }],
    ),
    pending: awaited.flatMap(({ invocationId: id, pendingResult: result }) =>
      result === null ? [] : [{ id, result }],
    ),
  }
}
