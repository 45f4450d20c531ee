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
import { readAmount, writeAmount } from '../../../ui/values/amounts.ts'
import { type Issue, issuesOf } from '../manifest/manifest-issues.ts'
import type { Service } from './service-labels.ts'

type Prices = Readonly<Record<string, string>>

/** Returns the prices of a service by their names on the wire, with labels. */
function pricesOf(service: Service): readonly { name: string; label: string; usdc: string }[] {
  if (service.priceModel === 'fixed')
    return [{ name: 'amount', label: 'Price of a call', usdc: service.pricing.amount }]
  const { inputPricePer1MTokensUsdc, outputPricePer1MTokensUsdc, maxAutoHoldUsdc } = savedTerms(service)
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
      <Facts
        items={pricesOf(service).map(({ label, usdc }) => [label, <Amount key={label} usdc={usdc} />])}
      />
      <ScheduledPrice {...service} />
      {isOpen && <PriceDialog service={service} onClose={() => setOpen(false)} />}
    </Card>
  )
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
      toast.done('The price is saved. A higher one takes effect after its notice.')
      onClose()
    },
  })
  const theirs = issuesOf(changing.error, {})
  const faultOf = (name: string) => own[name] ?? theirs.find(issue => lastOf(issue) === name)?.message

  function submit() {
    const read = prices.map(({ name }) => [name, readAmount(typed[name] ?? '')] as const)
    const faults = read.flatMap(([name, amount]) => {
      if (amount === null) return [[name, 'Enter a price; 0 makes it free.']]
      return 'error' in amount ? [[name, amount.error]] : []
    })
    setOwn(Object.fromEntries(faults))
    if (faults.length > 0) return
    const body = Object.fromEntries(read.map(([name]) => [name, tidy(typed[name] ?? '')]))
    changing.mutate(
      service.priceModel === 'fixed' ? { pricing: { amount: body.amount, currency: 'USDC' } } : body,
    )
  }

  return (
    <FormDialog
      title="Change the price"
      description={`Of ${service.serviceName}. A lower price takes effect at once, a higher one after its notice.`}
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
          aside={
            <span className="text-sm text-faint">
              now <Amount usdc={usdc} />
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
      <Consequence isFixed={service.priceModel === 'fixed'} />
    </FormDialog>
  )
}

function Consequence({ isFixed }: { isFixed: boolean }) {
  return (
    <Notice>
      {isFixed ? (
        <>
          Calls that are under way are paid at the price they were made at. A caller that still asserts the
          old one is refused with <code className="font-mono">PRICE_MISMATCH</code>, which tells it the new
          one; nothing is charged, and it may call again.
        </>
      ) : (
        <>
          Calls that are under way, and late reports of their usage, are charged at the prices they were made
          at. A call that would need more than the largest automatic hold must say how much it allows.
        </>
      )}
    </Notice>
  )
}

const lastOf = ({ path }: Issue) => path.split('.').at(-1)
const tidy = (typed: string) => {
  const text = typed.trim().replaceAll(',', '')
  return (text.startsWith('.') ? `0${text}` : text).replace(/\.$/, '')
}
