import { formatUsdc, usdc } from '@farebox/money'
import {
  checksAnswer,
  inclusionAnswer,
  inclusionIn,
  listChecksIn,
  listSealsIn,
  reserves,
  sealsPage,
} from '@farebox/wire/balance'
import type { FastifyReply } from 'fastify'
import { getAddress } from 'viem'
import type { App } from '../../../app.ts'
import { limitPublic } from '../../../http/limits/shared-rate-limit.ts'
import { contract } from '../../../http/openapi/contract.ts'
import type { Deps } from '../../../ports.ts'
import { ownerGuard, ownerOf } from '../../auth/require-owner.ts'
import * as examples from '../examples.ts'
import { createChecksReader } from './list-checks.ts'
import { listSeals } from './list-seals.ts'
import { bytesOf, hexOf } from './merkle-rules.ts'
import { readInclusion } from './read-inclusion.ts'
import { createReservesReader } from './read-reserves.ts'

/** Time for which a reading of the reserves is shared, in ms. */
const RESERVES_MAX_AGE_MS = 1_000
/** `max-age` of public answers, in seconds: there is a seal every ten. */
const RESERVES_MAX_AGE_SECONDS = RESERVES_MAX_AGE_MS / 1_000
const SEALS_MAX_AGE_SECONDS = 5
/** Time for which a reading of the checks is shared, in seconds: there is a check every minute. */
const CHECKS_MAX_AGE_SECONDS = 10
const WINDOW_SECONDS = 60

/** Routes of proofs, below `/api/v1`: public, except the balance of a wallet. */
export function proofRoutes(app: App, deps: Deps): void {
  publicRoutes(app, deps)
  checksRoute(app, deps)
  inclusionRoute(app, deps)
}

function publicRoutes(app: App, deps: Deps): void {
  const readReserves = createReservesReader(deps, RESERVES_MAX_AGE_MS)

  app.get(
    '/proof/reserves',
    {
      ...contract({
        id: 'readReserves',
        summary: 'Compare the vault with the liabilities',
        description:
          "The vault's balance on chain now, against the books. `consistent` is the outcome of the newest check of every invariant. `tree` has the liabilities and the vault's balance of some seconds ago, with the Merkle root that includes the balance of every wallet. See docs/proof.md to verify it.",
        tag: 'Proof',
        access: 'public',
        errors: ['RATE_LIMITED'],
        answer: reserves,
        example: examples.reserves,
      }),
      onRequest: limitOf(deps, 'reserves'),
    },
    async (_request, reply) => {
      const answer = await readReserves()
      keepFor(reply, RESERVES_MAX_AGE_SECONDS)
      return answer
    },
  )

  app.get(
    '/proof/seals',
    {
      ...contract(
        {
          id: 'listSeals',
          summary: 'List the seals over the ledger',
          description:
            'Newest first. Every entry is sealed some seconds after it was made; each seal contains the hash of the previous one. Keep the newest one: it shows whether earlier entries of an exported ledger were changed (docs/proof.md).',
          tag: 'Proof',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: sealsPage,
          example: examples.seals,
        },
        { querystring: listSealsIn },
      ),
      onRequest: limitOf(deps, 'seals'),
    },
    async (request, reply) => {
      const { limit: most, cursor } = request.query
      const { items, nextCursor } = await listSeals(deps.db, { limit: most, cursor })
      keepFor(reply, SEALS_MAX_AGE_SECONDS)
      return { status: 'success', seals: items, nextCursor }
    },
  )
}

function checksRoute(app: App, deps: Deps): void {
  const readChecks = createChecksReader(deps, CHECKS_MAX_AGE_SECONDS * 1_000)

  app.get(
    '/proof/checks',
    {
      ...contract(
        {
          id: 'listBookChecks',
          summary: 'Compare the vault with the books over time',
          description:
            'Checks of every invariant of the books in the last days, oldest first, at most 97: of each slice of the time the one with findings, or else the one at which the vault held least beyond what the books demanded.',
          tag: 'Proof',
          access: 'public',
          errors: ['RATE_LIMITED'],
          answer: checksAnswer,
          example: examples.checks,
        },
        { querystring: listChecksIn },
      ),
      onRequest: limitOf(deps, 'checks'),
    },
    async (request, reply) => {
      const checks = await readChecks(request.query.days)
      keepFor(reply, CHECKS_MAX_AGE_SECONDS)
      return { status: 'success', checks }
    },
  )
}

function inclusionRoute(app: App, deps: Deps): void {
  app.get(
    '/proof/inclusion',
    {
      ...contract(
        {
          id: 'readInclusion',
          summary: 'Prove that my balance is included in the liabilities',
          description:
            'The leaf of the wallet and the sibling nodes up to `merkleRoot`. An empty account has a leaf of zero; a wallet without an account has none (404). A tree is available until ten minutes after it was last true.',
          tag: 'Proof',
          access: 'wallet',
          errors: ['NOT_FOUND', 'RATE_LIMITED'],
          answer: inclusionAnswer,
          example: examples.inclusion,
        },
        { querystring: inclusionIn },
      ),
      onRequest: [limitOf(deps, 'inclusion'), ownerGuard(deps)],
    },
    async request => {
      const { merkleRoot } = request.query
      const found = await readInclusion(deps.db, {
        wallet: ownerOf(request).wallet,
        root: merkleRoot === undefined ? null : bytesOf(merkleRoot),
      })
      return presentInclusion(found)
    },
  )
}

function presentInclusion(found: Awaited<ReturnType<typeof readInclusion>>) {
  return {
    status: 'success',
    walletAddress: getAddress(found.wallet),
    balanceUsdc: formatUsdc(found.balance),
    salt: hexOf(found.salt),
    leafHash: hexOf(found.leaf),
    branch: found.branch.map(({ hash, sum, side }) => ({
      hash: hexOf(hash),
      sumUsdc: formatUsdc(usdc(sum)),
      side,
    })),
    merkleRoot: hexOf(found.root),
    walletsUsdc: formatUsdc(found.owed),
    asOf: found.asOf.toISOString(),
  } as const
}

/** Limits a route per client, over all gateways. */
function limitOf(deps: Deps, name: string) {
  return limitPublic(deps, { name, quota: deps.config.SEARCHES_PER_MINUTE, windowSeconds: WINDOW_SECONDS })
}

function keepFor(reply: FastifyReply, seconds: number): void {
  reply.header('cache-control', `public, max-age=${seconds}`)
}
