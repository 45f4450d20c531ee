import { useState } from 'react'
import { Checkbox, Field, Input } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { numberOf, readAt, writeAt } from './manifest.ts'
import { Line, pair, useEditor } from './manifest-fields.tsx'

const probeMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

/** The health check of the targets. */
export function Health() {
  const { manifest, onChange } = useEditor()
  const given = readAt(manifest, 'healthCheck')
  const isOwn = typeof given === 'object' && given !== null
  const codes = readAt(given, 'successCodes')
  return (
    <Card title="Health check">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          Every target is probed regularly. By default, the probe is a GET request to its URL, and any status
          below 500 is healthy.
        </p>
        <Checkbox
          label="Custom rules"
          checked={isOwn}
          onChange={({ target }) =>
            onChange(
              writeAt(
                manifest,
                'healthCheck',
                target.checked ? { path: '/health', method: 'GET' } : undefined,
              ),
            )
          }
        />
        {isOwn && (
          <div className={pair}>
            <Line path="healthCheck.path" label="Path" placeholder="/health" />
            <Field label="Probe method">
              <Select
                className="w-full"
                options={probeMethods.map(value => ({ value, label: value }))}
                value={probeMethods.find(value => value === readAt(given, 'method')) ?? 'GET'}
                onChange={value => onChange(writeAt(manifest, 'healthCheck.method', value))}
              />
            </Field>
            <Codes codes={codes} />
            <Line isNumber path="healthCheck.timeoutMs" label="Timeout" unit="ms" placeholder="5000" />
            <Line
              isNumber
              path="healthCheck.unhealthyThreshold"
              label="Unhealthy after"
              hint="Consecutive failed probes."
              placeholder="1"
            />
            <Line
              isNumber
              path="healthCheck.healthyThreshold"
              label="Healthy after"
              hint="Consecutive successful probes."
              placeholder="1"
            />
          </div>
        )}
      </div>
    </Card>
  )
}

function Codes({ codes }: { codes: unknown }) {
  const { manifest, onChange, issues } = useEditor()
  const [text, setText] = useState(Array.isArray(codes) ? codes.join(', ') : '')
  const fault = issues.find(({ path }) => path.startsWith('healthCheck.successCodes'))?.message
  return (
    <Field label="Healthy statuses" hint="If empty, all below 500." error={fault}>
      <Input
        value={text}
        placeholder="200, 204"
        onChange={({ target }) => {
          setText(target.value)
          const list = target.value.split(',').flatMap(code => numberOf(code) ?? [])
          onChange(writeAt(manifest, 'healthCheck.successCodes', list.length === 0 ? undefined : list))
        }}
      />
    </Field>
  )
}
