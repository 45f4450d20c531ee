import { formatUsdc } from '@farebox/money'
import {
  adoptIn,
  FINDINGS_MAX,
  findingActAnswer,
  findingPathIn,
  findingsAnswer,
  reverseIn,
  type ShownChainFinding,
} from '@farebox/wire/admin'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import { reverseDeposit } from '../deposits/reverse-deposit.ts'
import {
  type ChainFindingKind,
  listOpenChainFindings,
  type SettledChainFinding,
} from '../ledger/database/chain-findings.ts'
import type { OnSettled, Settled } from '../ledger/database/settle-finding.ts'
import { adoptRedemption } from '../withdrawals/adopt-redemption.ts'
import { recordAct } from './record-act.ts'

/** Acts that close each kind of finding. Other kinds close themselves when their cause is gone. */
const ACTS: { readonly [Kind in ChainFindingKind]?: ShownChainFinding['acts'] } = {
  'unexplained-redemption': ['adopt'],
  'deposit-reorganised': ['reverse'],
}

const about = { tag: 'Admin', access: 'admin' } as const
const actErrors = ['NOT_FOUND', 'INVALID_STATE'] as const

/** Registers the routes of findings and the acts that close them below `/api/v1`. */
export function findingRoutes(app: App, deps: Deps): void {
  const onRequest = adminGuard(deps)

  app.get(
    '/admin/findings',
    {
      ...contract({
        ...about,
        id: 'listChainFindings',
        summary: 'List open disagreements between the chain and the books',
        description: 'Oldest first. While one is open, no withdrawal ticket is issued.',
        answer: findingsAnswer,
      }),
      onRequest,
    },
    async () => {
      const open = await listOpenChainFindings(deps.db, FINDINGS_MAX)
      return {
        status: 'success',
        findings: open.map(finding => present({ ...finding, resolvedAt: null, resolution: null })),
      }
    },
  )
  settleRoutes(app, deps, onRequest)
}

function settleRoutes(app: App, deps: Deps, onRequest: ReturnType<typeof adminGuard>): void {
  app.post(
    '/admin/findings/:findingId/adopt',
    {
      ...contract(
        {
          ...about,
          id: 'adoptRedemption',
          summary: 'Book a payment of the vault that no withdrawal explains',
          description:
            'For `unexplained-redemption`. Charges the recipient up to its earnings, or nobody; the platform bears the rest.',
          errors: actErrors,
          answer: findingActAnswer,
        },
        { params: findingPathIn, body: adoptIn },
      ),
      onRequest,
    },
    async request => {
      const { reason, chargeTo } = request.body
      const onSettled = audited(deps, { actor: ownerOf(request).wallet, action: 'finding.adopt', reason })
      const { findingId } = request.params
      return answer(await adoptRedemption(deps, { findingId, chargeTo }, onSettled))
    },
  )

  app.post(
    '/admin/findings/:findingId/reverse',
    {
      ...contract(
        {
          ...about,
          id: 'reverseDeposit',
          summary: 'Reverse a credit whose deposit is no longer on chain',
          description:
            'For `deposit-reorganised`. Charges the owner up to its balance; the platform bears the rest. INVALID_STATE while the transaction is on the chain again.',
          errors: actErrors,
          answer: findingActAnswer,
        },
        { params: findingPathIn, body: reverseIn },
      ),
      onRequest,
    },
    async request => {
      const { reason } = request.body
      const onSettled = audited(deps, { actor: ownerOf(request).wallet, action: 'finding.reverse', reason })
      return answer(await reverseDeposit(deps, request.params.findingId, onSettled))
    },
  )
}

/** Records an act in the audit log, in the transaction of the act. */
const audited =
  (deps: Pick<Deps, 'ids'>, act: { actor: string; action: string; reason: string }): OnSettled =>
  (tx, { before, after }) => {
    const { finding, ...settlement } = presentSettled(after)
    const changed = { before: present(before), after: { ...finding, ...settlement, wallet: after.wallet } }
    return recordAct(deps, tx, { ...act, target: finding.findingId, ...changed })
  }

const answer = (settled: Settled) => ({ status: 'success', ...presentSettled(settled) }) as const

function presentSettled({ finding, charged, borne }: Settled) {
  return { finding: present(finding), chargedUsdc: formatUsdc(charged), borneUsdc: formatUsdc(borne) }
}

function present(finding: SettledChainFinding): ShownChainFinding {
  const { id, kind, subject, detail, foundAt, resolvedAt, resolution } = finding
  return {
    findingId: id.toString(),
    kind,
    subject,
    detail: { ...detail },
    acts: resolution === null ? [...(ACTS[kind] ?? [])] : [],
    foundAt: foundAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    resolution,
  }
}
