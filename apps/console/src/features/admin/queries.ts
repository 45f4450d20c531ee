import type { AnswerOf } from '@farebox/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

const POLL_INTERVAL_MS = 10_000

/** The state of the gateway and what waits for admins. */
export const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: ({ signal }) => api.readGatewayHealth({ signal }),
  refetchInterval: POLL_INTERVAL_MS,
})

/** Open disagreements between the chain and the books. */
export const findingsQuery = queryOptions({
  queryKey: ['admin', 'findings'],
  queryFn: ({ signal }) => api.listChainFindings({ signal }),
  refetchInterval: POLL_INTERVAL_MS,
})

export type Status = AnswerOf<'readStatus'>

/** What waits at the gateway; shared with the banner. */
export const statusQuery = queryOptions({
  queryKey: ['gateway', 'status'],
  queryFn: ({ signal }) => api.readStatus({ signal }),
  refetchInterval: POLL_INTERVAL_MS,
})
