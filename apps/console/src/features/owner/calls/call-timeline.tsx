import type { Step } from '../../../ui/feedback/steps.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatTime } from '../../../ui/values/format-time.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { type CallDetail, formatLatency, isOpen } from './call-labels.ts'

/** Returns the steps of a call from hold to charge. */
export function timelineOf(call: CallDetail): Step[] {
  const { receipt, status } = call
  return [
    {
      title: (
        <>
          <Amount usdc={call.holdUsdc} /> held
        </>
      ),
      state: 'done',
      detail: <span className="tabular">{formatTime(receipt.startedAt)}</span>,
    },
    atProvider(call),
    settled(call, isOpen(status)),
  ]
}

function atProvider({ receipt, status }: CallDetail): Step {
  const { attempts, latencyMs } = receipt
  const tried = attempts > 1 ? `${attempts} targets were tried` : ''
  const took = latencyMs === null ? '' : `took ${formatLatency(latencyMs)}`
  const detail = [took, tried].filter(text => text !== '').join(', ')
  if (status === 'PENDING') return { title: 'In progress at the provider', state: 'active' }
  const isAnswered = status === 'SUCCEEDED' || status === 'PROCESSING'
  return {
    title: isAnswered
      ? 'The provider answered'
      : attempts === 0
        ? 'Not sent to the provider'
        : 'Failed at the provider',
    state: isAnswered ? 'done' : 'failed',
    ...(detail !== '' && { detail: <span className="tabular">{detail}</span> }),
  }
}

function settled(call: CallDetail, isWaiting: boolean): Step {
  const { chargedUsdc, releasedUsdc, receipt, status } = call
  if (status === 'PROCESSING')
    return {
      title: 'Waiting for usage',
      state: 'active',
      detail: 'The provider has 15 minutes to report it. Without a report, the whole hold is released.',
    }
  if (isWaiting) return { title: 'Charge and release', state: 'waiting' }
  return {
    title:
      Number(chargedUsdc) > 0 ? (
        <>
          <Amount usdc={chargedUsdc} /> charged
          {Number(releasedUsdc) > 0 && (
            <>
              , <Amount usdc={releasedUsdc} /> released
            </>
          )}
        </>
      ) : (
        <>
          <Amount usdc={releasedUsdc} /> released, nothing charged
        </>
      ),
    state: 'done',
    ...(receipt.finishedAt !== null && {
      detail: (
        <span className="tabular">
          {formatTime(receipt.finishedAt)} · <TimeAgo iso={receipt.finishedAt} />
        </span>
      ),
    }),
  }
}
