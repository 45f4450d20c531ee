import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { Notice } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Field, Input } from '../../../ui/forms/field.tsx'
import { Card, Facts } from '../../../ui/layout/page.tsx'
import { ScheduledPrice } from '../../../ui/services/service-price.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { writeAmount } from '../../../ui/values/amounts.ts'
import { readAmount } from '../../../ui/values/read-amount.ts'
import { type Issue, issuesOf } from '../manifest/manifest-issues.ts'
import { PricePreview } from './price-preview.tsx'
import type { Service } from './service-labels.ts'

type Prices = Readonly<Record<string, string>>

/** A price by its name on the wire; null: as any input token. */
type PriceLine = { readonly name: string; readonly label: string; readonly usdc: string | null }

/** Returns the prices of a service. */
function pricesOf(service: Service): readonly PriceLine[] {
  if (service.priceModel === 'fixed')
    return [{ name: 'amount', label: 'Price of a call', usdc: service.pricing.amount }]
  const { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc, maxAutoHoldUsdc, ...cache } =
    savedTerms(service)
  return [
    {
      name: 'inputPricePer1MTokensUsdc',
      label: 'A million input tokens',
      usdc: inputPricePer1MTokensUsdc,
    },
    {
      name: 'outputPricePer1MTokensUsdc',
      label: 'A million output tokens',
      usdc: outputPricePer1MTokensUsdc,
    },
    { name: 'cacheReadPricePer1M', label: 'A million cache reads', usdc: cache.cacheReadPricePer1M },
    { name: 'cacheWritePricePer1M', label: 'A million cache writes', usdc: cache.cacheWritePricePer1M },
    { name: 'maxAutoHoldUsdc', label: 'Largest automatic hold', usdc: maxAutoHoldUsdc },
  ]
}

const savedTerms = (service: Extract<Service, { priceModel: 'token_metered' }>) => ({
  ...service,
  ...service.scheduledPricing,
})

/** The price of a service, with a dialog to change it. */
export function PriceCard({ service, canChange }: { service: Service; canChange: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Price"
      actions={
        canChange && (
          <Button size="sm" onClick={() => setOpen(true)}>
            Change price
          </Button>
        )
      }
    >
      <Facts items={pricesOf(service).map(({ label, usdc }) => [label, <Price key={label} usdc={usdc} />])} />
      <ScheduledPrice {...service} />
      {isOpen && <PriceDialog service={service} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function Price({ usdc }: { usdc: string | null }) {
  return usdc === null ? <span className="text-faint">as input</span> : <Amount usdc={usdc} />
}

/** Returns the members of an update, and what is wrong with the typed texts, by name. An empty cache price is null. */
function readPrices(prices: readonly PriceLine[], typed: Prices) {
  const faults: Record<string, string> = {}
  const body: Record<string, string | null> = {}
  for (const { name } of prices) {
    const amount = readAmount(typed[name] ?? '')
    if (amount === null && !isOptional(name)) faults[name] = 'Enter a price, or 0 to make it free.'
    else if (amount !== null && 'error' in amount) faults[name] = amount.error
    body[name] = amount === null ? null : tidy(typed[name] ?? '')
  }
  return { faults, body }
}

function PriceDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const prices = pricesOf(service)
  const [typed, setTyped] = useState<Prices>(
    Object.fromEntries(prices.map(({ name, usdc }) => [name, writeAmount(usdc)])),
  )
  const [own, setOwn] = useState<Prices>({})
  const changing = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      api.updateService({ path: { id: service.serviceId }, body: body as never }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['services'] })
      toast.done('Price saved. An increase takes effect after the notice period.')
      onClose()
    },
  })
  const theirs = issuesOf(changing.error, {})
  const faultOf = (name: string) => own[name] ?? theirs.find(issue => lastOf(issue) === name)?.message

  const read = readPrices(prices, typed)

  function submit() {
    const { faults, body } = read
    setOwn(faults)
    if (Object.keys(faults).length > 0) return
    changing.mutate(
      service.priceModel === 'fixed' ? { pricing: { amount: body.amount, currency: 'USDC' } } : body,
    )
  }

  return (
    <FormDialog
      title="Change the price"
      description={`Of ${service.serviceName}. A lower price takes effect immediately, a higher price after the notice period.`}
      action="Set price"
      isBusy={changing.isPending}
      error={theirs.length === 0 ? changing.error : null}
      onClose={onClose}
      onSubmit={submit}
    >
      {prices.map(({ name, label, usdc }) => (
        <Field
          key={name}
          label={label}
          error={faultOf(name)}
          hint={isOptional(name) ? 'If empty, the input price applies.' : undefined}
          aside={
            <span className="text-sm text-faint">
              now <Price usdc={usdc} />
            </span>
          }
        >
          <Input
            unit="USDC"
            inputMode="decimal"
            autoComplete="off"
            value={typed[name] ?? ''}
            onChange={({ target }) => {
              setTyped({ ...typed, [name]: target.value })
              setOwn(({ [name]: _, ...others }) => others)
            }}
          />
        </Field>
      ))}
      {Object.keys(read.faults).length === 0 && <PricePreview service={service} prices={read.body} />}
      <Consequence isFixed={service.priceModel === 'fixed'} />
    </FormDialog>
  )
}

function Consequence({ isFixed }: { isFixed: boolean }) {
  return (
    <Notice>
      {isFixed ? (
        <>
          Calls in flight are charged at the price in effect when they were made. A caller that still asserts
          the old price is refused with <code className="font-mono">PRICE_MISMATCH</code> and the new price.
          Nothing is charged, and the caller can retry.
        </>
      ) : (
        <>
          Calls in flight and late usage reports are charged at the prices in effect when the call was made. A
          call that needs more than the largest automatic hold must state its maximum cost.
        </>
      )}
    </Notice>
  )
}

const isOptional = (name: string) => name.startsWith('cache')
const lastOf = ({ path }: Issue) => path.split('.').at(-1)
const tidy = (typed: string) => {
  const text = typed.trim().replaceAll(',', '')
  return (text.startsWith('.') ? `0${text}` : text).replace(/\.$/, '')
}
