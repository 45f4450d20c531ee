import { type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Tx } from '../../../src/ports.ts'

/** Inserts a paid call, by default without a fee. */
export async function insertPaidCall(
  tx: Tx,
  call: { id: string; consumer: string; provider: string; hold: Usdc; charge: Usdc; fee?: Usdc },
): Promise<void> {
  const { id, consumer, provider, hold, charge, fee = usdc(0n) } = call
  await tx.query(sql`
    insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
      status, hold, drawn_at)
    values (${id}, 'cred_test', ${id}, ${Buffer.alloc(32)}, ${consumer}, ${provider}, 'svc_test',
      'PENDING', ${hold}, now())`)
  await tx.query(sql`
    update invocations set status = 'SUCCEEDED', charged = ${charge}, fee = ${fee}, finished_at = now()
    where id = ${id}`)
}
