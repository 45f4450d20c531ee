import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { type CallsSearch, callSpans, callStates, readCallsSearch } from './calls-search.ts'
import { useCallChoices } from './use-calls.ts'

const ALL = 'all'

/** What the list of calls is narrowed to; kept in the address of the page. */
export function CallsFilter({ search }: { search: CallsSearch }) {
  const navigate = useNavigate()
  const choices = useCallChoices(search)
  const go = (next: CallsSearch) =>
    navigate({ to: '/app/calls/{-$id}', params: { id: undefined }, search: next, replace: true })
  const narrow = (change: Record<string, string>) => go(readCallsSearch({ ...search, ...change }))
  return (
    <fieldset aria-label="Filter" className="flex flex-wrap items-center gap-2 font-normal">
      <Select
        label="Service"
        size="sm"
        className="max-w-52 min-w-0"
        options={[{ value: ALL, label: 'Any service' }, ...choices.services]}
        value={search.service ?? ALL}
        onChange={value => narrow({ service: value === ALL ? '' : value })}
      />
      <Select
        label="Credential"
        size="sm"
        className="max-w-52 min-w-0"
        options={[{ value: ALL, label: 'Any credential' }, ...choices.credentials]}
        value={search.credential ?? ALL}
        onChange={value => narrow({ credential: value === ALL ? '' : value })}
      />
      <Select
        label="State"
        size="sm"
        options={callStates}
        value={search.state ?? ALL}
        onChange={value => narrow({ state: value })}
      />
      <Select
        label="Time"
        size="sm"
        options={callSpans}
        value={search.time ?? ALL}
        onChange={value => narrow({ time: value })}
      />
      {search.time === 'custom' && (
        <span className="flex items-center gap-1.5 text-sm text-muted">
          <Input
            type="date"
            aria-label="From"
            className="!h-8 !w-36 !px-2 !text-sm"
            value={search.from ?? ''}
            max={search.to}
            onChange={event => narrow({ from: event.target.value })}
          />
          –
          <Input
            type="date"
            aria-label="To"
            className="!h-8 !w-36 !px-2 !text-sm"
            value={search.to ?? ''}
            min={search.from}
            onChange={event => narrow({ to: event.target.value })}
          />
        </span>
      )}
      {Object.keys(search).length > 0 && (
        <Button
          size="sm"
          variant="ghost"
          icon={<X aria-hidden className="size-3.5" />}
          onClick={() => go({})}
        >
          Clear
        </Button>
      )}
    </fieldset>
  )
}
