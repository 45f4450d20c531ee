import { GatewayError } from '@farebox/client/errors'
import { formatUsdc } from '@farebox/money'
import { useState } from 'react'
import { issuesOf } from '../../../ui/forms/issues.ts'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { writeAmount } from '../../../ui/values/amounts.ts'
import { formatCount } from '../../../ui/values/format-measures.ts'
import type { Interval } from '../../../ui/values/intervals.ts'
import { readOptional } from '../../../ui/values/read-amount.ts'
import type { Credential } from './credential-labels.ts'

/** Input of the credential form, as typed. */
export type Fields = {
  readonly name: string
  readonly creditLimit: string
  readonly resetInterval: Interval
  readonly maxCalls: string
  readonly maxCostPerCall: string
  readonly rpm: string
  /** Seconds from now, `never`, or `keep` for the current value. */
  readonly expiry: string
  /** Ids of the allowed services; null for all. */
  readonly services: readonly string[] | null
}
export type FieldName = keyof Fields
export type Problems = Partial<Record<FieldName, string>>

const RPM_DEFAULT = 600
const RPM_MAX = 10_000_000
const CALLS_MAX = 1_000_000_000_000
const DAY = 86_400

export const newFields: Fields = {
  name: '',
  creditLimit: '10',
  resetInterval: 'daily',
  maxCalls: '',
  maxCostPerCall: '',
  rpm: String(RPM_DEFAULT),
  expiry: 'never',
  services: null,
}

export const expiries = [
  { value: 'never', label: 'Never' },
  { value: String(DAY), label: 'In 1 day' },
  { value: String(7 * DAY), label: 'In 7 days' },
  { value: String(30 * DAY), label: 'In 30 days' },
  { value: String(90 * DAY), label: 'In 90 days' },
  { value: String(365 * DAY), label: 'In 1 year' },
] as const

/** Returns the form's input for a credential. */
export function fieldsOf(credential: Credential): Fields {
  return {
    name: credential.name,
    creditLimit: writeAmount(credential.creditLimit),
    resetInterval: credential.resetInterval,
    maxCalls: credential.maxCalls === null ? '' : String(credential.maxCalls),
    maxCostPerCall: credential.maxCostPerCallUsdc === null ? '' : writeAmount(credential.maxCostPerCallUsdc),
    rpm: String(credential.rpm),
    expiry: 'keep',
    services: credential.allowedServices,
  }
}

/** Returns the request body, or the problems of the fields. */
export function readFields(fields: Fields) {
  const problems: Problems = {}
  const name = fields.name.trim()
  if (name === '') problems.name = 'Enter a name.'
  const credit = readOptional(fields.creditLimit)
  if ('error' in credit) problems.creditLimit = credit.error
  const perCall = readOptional(fields.maxCostPerCall)
  if ('error' in perCall) problems.maxCostPerCall = perCall.error
  const maxCalls = readCount(fields.maxCalls, CALLS_MAX)
  if (typeof maxCalls === 'string') problems.maxCalls = maxCalls
  const rpm = readCount(fields.rpm, RPM_MAX)
  if (typeof rpm === 'string') problems.rpm = rpm
  if ('error' in credit || 'error' in perCall || Object.keys(problems).length > 0) return { problems }
  return {
    body: {
      name,
      creditLimit: credit.amount === null ? null : formatUsdc(credit.amount),
      resetInterval: fields.resetInterval,
      maxCalls: maxCalls as number | null,
      maxCostPerCallUsdc: perCall.amount === null ? null : formatUsdc(perCall.amount),
      rpm: (rpm as number | null) ?? RPM_DEFAULT,
      ...(fields.expiry !== 'keep' && {
        expiresInSec: fields.expiry === 'never' ? null : Number(fields.expiry),
      }),
      allowedServices: fields.services === null ? null : [...fields.services],
    },
  }
}

/** Parses a whole number above zero. Returns null for an empty text and an error message for an invalid one. */
function readCount(typed: string, max: number): number | null | string {
  const text = typed.trim().replaceAll(',', '')
  if (text === '') return null
  if (!/^\d+$/.test(text) || Number(text) < 1) return 'Enter a whole number of 1 or more.'
  return Number(text) > max ? `At most ${formatCount(max)}.` : Number(text)
}

const names: Readonly<Record<string, FieldName>> = {
  name: 'name',
  creditLimit: 'creditLimit',
  resetInterval: 'resetInterval',
  maxCalls: 'maxCalls',
  maxCostPerCallUsdc: 'maxCostPerCall',
  rpm: 'rpm',
  expiresInSec: 'expiry',
  allowedServices: 'services',
}

/** Maps the gateway's error to the fields; empty if it is not about a field. */
export function problemsOf(error: unknown): Problems {
  if (!(error instanceof GatewayError)) return {}
  if (error.code === 'LIMIT_EXCEEDED') {
    const { maxCreditLimitUsdc: max } = error.detail
    const reported =
      typeof max === 'string'
        ? `Your spending policy allows at most ${formatAmount(max)} USDC here.`
        : error.message
    return { creditLimit: reported }
  }
  if (error.code === 'SERVICE_NOT_FOUND') return { services: error.message }
  const problems: Problems = {}
  for (const [member, message] of Object.entries(issuesOf(error))) {
    const name = names[member]
    if (name !== undefined) problems[name] ??= message
  }
  return problems
}

/** The values that the form sends. */
export type Body = NonNullable<ReturnType<typeof readFields>['body']>

/** Properties of the form's inputs. */
export type FieldInputs = {
  readonly fields: Fields
  readonly set: <Name extends FieldName>(name: Name, value: Fields[Name]) => void
  readonly problems: Problems
  /** The gateway refused the limit because of the spending policy. */
  readonly isAbovePolicy: boolean
}

/** State of the form: the input, its problems and those that the gateway found. */
export function useCredentialFields(form: {
  readonly initial: Fields
  readonly error: unknown
  readonly onSubmit: (body: Body) => void
}) {
  const [fields, setFields] = useState(form.initial)
  const [own, setOwn] = useState<Problems>({})
  const theirs = problemsOf(form.error)
  const inputs: FieldInputs = {
    fields,
    set(name, value) {
      setFields(before => ({ ...before, [name]: value }))
      setOwn(({ [name]: _, ...others }) => others)
    },
    problems: { ...theirs, ...own },
    isAbovePolicy: theirs.creditLimit !== undefined,
  }
  return {
    inputs,
    /** The error that no field shows. */
    otherError: Object.keys(theirs).length === 0 ? form.error : null,
    submit() {
      const read = readFields(fields)
      setOwn(read.problems ?? {})
      if (read.body !== undefined) form.onSubmit(read.body)
    },
  }
}
