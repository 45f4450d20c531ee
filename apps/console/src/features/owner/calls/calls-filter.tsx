import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { TimeInput } from '../../../ui/forms/time-input.tsx'
import { type CallsSearch, callSpans, callStates, isHour, readCallsSearch } from './calls-search.ts'
import { useCallChoices } from './use-calls.ts'

const ALL = 'all'

/** The filters of the list of calls, kept in the address. */
export function CallsFilter({ search }: { search: CallsSearch }) {
  const navigate = useNavigate()
  const choices = useCallChoices(search)
  const go = (next: CallsSearch) =>
    navigate({ to: '/app/calls/{-$id}', params: { id: undefined }, search: next, replace: true })
  const narrow = (change: Record<string, string>) => go(readCallsSearch({ ...search, ...change }))
  const selects = [
    {
      label: 'Service',
      name: 'service',
      options: [{ value: ALL, label: 'Any service' }, ...choices.services],
    },
    {
      label: 'Credential',
      name: 'credential',
      options: [{ value: ALL, label: 'Any credential' }, ...choices.credentials],
    },
    { label: 'State', name: 'state', options: callStates },
    { label: 'Time', name: 'time', options: callSpans },
  ] as const
  return (
    <fieldset aria-label="Filter" className="flex flex-wrap items-center gap-2 font-normal">
      {selects.map(({ label, name, options }) => (
        <Select<string>
          key={name}
          label={label}
          size="sm"
          className="max-w-60 min-w-0"
          options={options}
          value={search[name] ?? ALL}
          onChange={value => narrow({ [name]: value === ALL ? '' : value })}
        />
      ))}
      {search.model !== undefined && <span className="text-sm text-muted">Model {search.model}</span>}
      {search.time === 'custom' && isHour(search.from) && (
        <span className="text-sm text-muted tabular">
          {showHour(search.from)} – {showHour(search.to)} UTC
        </span>
      )}
      {search.time === 'custom' && !isHour(search.from) && (
        <span className="flex items-center gap-1.5 text-sm text-muted">
          <Day label="From" value={search.from} max={search.to} onChange={from => narrow({ from })} />–
          <Day label="To" value={search.to} min={search.from} onChange={to => narrow({ to })} />
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

const showHour = (time = '') => time.replace('T', ' ').replace('Z', '')

function Day(props: {
  label: string
  value: string | undefined
  min?: string | undefined
  max?: string | undefined
  onChange: (day: string) => void
}) {
  return (
    <TimeInput
      type="date"
      aria-label={props.label}
      className="!h-8 !w-36 !px-2 !text-sm"
      value={props.value ?? ''}
      min={props.min}
      max={props.max}
      onChange={props.onChange}
    />
  )
}
