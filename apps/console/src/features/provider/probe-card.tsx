import type { AnswerOf } from '@farebox/client'
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX, Zap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api, queryClient } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Latency } from '../../ui/measures.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Skeleton, tellError } from '../../ui/states.tsx'
import { type Service, tellProbe, tellTarget } from './service-words.ts'

type Found = AnswerOf<'pingService'>['targets'][number]

/** Calls every target as the probes do, at once, and shows what each answered. `isNew` does so by itself. */
export function ProbeCard({ service, isNew }: { service: Service; isNew: boolean }) {
  const { serviceId, invoke } = service
  const { mutate, ...testing } = useMutation({
    mutationFn: () => api.pingService({ path: { id: serviceId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['services'] }),
  })
  const isAsked = useRef(false)
  useEffect(() => {
    if (!isNew || isAsked.current) return
    isAsked.current = true
    mutate()
  }, [isNew, mutate])
  const found = testing.data?.targets
  return (
    <Card
      title={isNew ? 'Registered: a test of your targets' : 'Test of the targets'}
      actions={
        <Button
          size="sm"
          isBusy={testing.isPending}
          icon={<Zap aria-hidden className="size-3.5" />}
          onClick={() => mutate()}
        >
          {found === undefined ? 'Test now' : 'Test again'}
        </Button>
      }
    >
      {testing.error !== null && (
        <div role="alert">
          <Notice tone="bad">{tellError(testing.error)}</Notice>
        </div>
      )}
      {testing.isPending && found === undefined && (
        <div className="flex flex-col gap-2">
          {invoke.targets.map(({ url }) => (
            <Skeleton key={url} className="h-6" />
          ))}
        </div>
      )}
      {found === undefined && !testing.isPending && testing.error === null && (
        <p className="text-sm text-muted">
          Asks each target now, as the probes do, and tells what it answered. Nothing is paid.
        </p>
      )}
      {found !== undefined && (
        <div role="status" className="flex flex-col gap-3">
          <ul aria-label="What the targets answered" className="flex flex-col gap-2">
            {found.map(each => (
              <Line key={each.url} found={each} />
            ))}
          </ul>
          <p className="text-sm text-muted">
            {testing.data?.runtimeAvailable === true
              ? 'Agents can find and call it now.'
              : found.some(({ status }) => status === 'healthy')
                ? 'It answers, but is not offered: it is switched off.'
                : 'It is not offered until a target answers. Mend that, and test again; the regular probes look as well.'}
          </p>
        </div>
      )}
    </Card>
  )
}

function Line({ found }: { found: Found }) {
  const isGood = found.status === 'healthy'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
      {isGood ? (
        <CircleCheck aria-label="Healthy" className="size-4 shrink-0 text-accent" />
      ) : (
        <CircleX aria-label="Not healthy" className="size-4 shrink-0 text-danger" />
      )}
      <span className="min-w-0 font-mono text-[0.92em] break-all">{tellTarget(found.url)}</span>
      <span className="ml-auto flex gap-3 text-muted">
        <span className={isGood ? undefined : 'text-danger'}>{tellProbe(found)}</span>
        <Latency ms={found.latencyMs} />
      </span>
    </li>
  )
}
