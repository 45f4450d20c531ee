import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { type Interval, intervals } from '../../../ui/values/intervals.ts'
import { useServices } from '../first-call.ts'
import { expiries, type FieldInputs } from './credential-fields.ts'

/** The fields for the name and limits of a credential. */
export function CredentialInputs(props: FieldInputs & { expiresNow?: string }) {
  const { fields, set, problems } = props
  const text = (name: 'name' | 'creditLimit' | 'maxCalls' | 'maxCostPerCall' | 'rpm') => ({
    value: fields[name],
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => set(name, event.target.value),
  })
  return (
    <>
      <Field label="Name" error={problems.name}>
        <Input {...text('name')} maxLength={100} placeholder="research agent" />
      </Field>
      <div className="grid grid-cols-[minmax(0,1fr)_8.5rem] items-start gap-3">
        <Field
          label="Spending limit"
          error={problems.creditLimit}
          hint="If empty, only your spending policy applies."
          aside={
            !props.isAbovePolicy ? undefined : (
              <Link to={'/app/policy' as string} className="text-sm text-accent hover:underline">
                Policy
              </Link>
            )
          }
        >
          <Input {...text('creditLimit')} inputMode="decimal" unit="USDC" placeholder="No limit" />
        </Field>
        <Field label="Interval">
          <Select<Interval>
            className="w-full"
            options={intervals}
            value={fields.resetInterval}
            onChange={value => set('resetInterval', value)}
          />
        </Field>
      </div>
      <div className="grid grid-cols-1 items-start gap-4 sm:grid-cols-2 sm:gap-3">
        <Field label="Total calls" error={problems.maxCalls} hint="Leave empty for no limit.">
          <Input {...text('maxCalls')} inputMode="numeric" placeholder="No limit" />
        </Field>
        <Field label="Calls per minute" error={problems.rpm}>
          <Input {...text('rpm')} inputMode="numeric" placeholder="600" />
        </Field>
      </div>
      <Field label="Maximum per call" error={problems.maxCostPerCall} hint="Leave empty for no limit.">
        <Input {...text('maxCostPerCall')} unit="USDC" inputMode="decimal" placeholder="No limit" />
      </Field>
      <Field label="Expires" error={problems.expiry}>
        <Select
          className="w-full"
          options={[
            ...(props.expiresNow === undefined ? [] : [{ value: 'keep', label: props.expiresNow }]),
            ...expiries,
          ]}
          value={fields.expiry}
          onChange={value => set('expiry', value)}
        />
      </Field>
      <Services
        chosen={fields.services}
        error={problems.services}
        onChange={value => set('services', value)}
      />
    </>
  )
}

const LIST_FROM = 6

/** The allowed services: all, or a selection. */
function Services(props: {
  /** Null for all. */
  chosen: readonly string[] | null
  error: string | undefined
  onChange: (ids: string[] | null) => void
}) {
  const { error, onChange } = props
  const isLimited = props.chosen !== null
  const chosen = props.chosen ?? []
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Services</legend>
      <Checkbox
        label="Only some services"
        checked={isLimited}
        onChange={event => onChange(event.target.checked ? [] : null)}
      />
      {isLimited && <ServiceList chosen={chosen} onChange={onChange} />}
      {isLimited && chosen.length === 0 && (
        <p role="status" className="flex items-center gap-2 text-sm">
          <CircleAlert aria-hidden className="size-4 shrink-0 text-warn" />
          No services selected. This credential cannot call any service.
        </p>
      )}
      {chosen.length > 0 && <p className="text-sm text-faint">{chosen.length} allowed.</p>}
      {error !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  )
}

function ServiceList({ chosen, onChange }: { chosen: readonly string[]; onChange: (ids: string[]) => void }) {
  const { data, error: failed } = useServices()
  const [sought, setSought] = useState('')
  const listed = data?.filter(({ serviceName, agentToolName }) =>
    `${serviceName} ${agentToolName}`.toLowerCase().includes(sought.trim().toLowerCase()),
  )
  const isChosen = (service: { serviceId: string; agentToolName: string }) =>
    chosen.includes(service.serviceId) || chosen.includes(service.agentToolName)
  return (
    <div className="overflow-hidden rounded-md border">
      {(data?.length ?? 0) > LIST_FROM && (
        <div className="border-b p-2">
          <Input
            aria-label="Search services"
            placeholder="Search"
            value={sought}
            onChange={event => setSought(event.target.value)}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className="flex max-h-44 flex-col gap-0.5 overflow-y-auto p-2" tabIndex={0}>
        {listed === undefined && failed === null && <Skeleton className="h-32" />}
        <Failed error={failed} />
        {listed?.length === 0 && <p className="p-2 text-sm text-faint">No callable service matches.</p>}
        {listed?.map(service => (
          <Checkbox
            key={service.serviceId}
            className="rounded px-1.5 py-1 hover:bg-hover"
            label={
              <span className="flex min-w-0 items-baseline gap-2">
                <span className="truncate">{service.serviceName}</span>
                <span className="truncate font-mono text-xs text-faint">{service.agentToolName}</span>
              </span>
            }
            checked={isChosen(service)}
            onChange={event =>
              onChange(
                event.target.checked
                  ? [...chosen, service.serviceId]
                  : chosen.filter(id => id !== service.serviceId && id !== service.agentToolName),
              )
            }
          />
        ))}
      </div>
    </div>
  )
}
