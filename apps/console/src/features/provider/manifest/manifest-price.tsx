import { Field } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { isMetered, paidBy, readAt, writeAt } from './manifest.ts'
import { Line, pair, useEditor } from './manifest-fields.tsx'
import { draftedPrice, Earned } from './market-preview.tsx'

const models = [
  { value: 'fixed', label: 'Per call' },
  { value: 'token_metered', label: 'Per token' },
] as const
const dialects = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
] as const

/** Chooses the price model of a new service. */
export function PriceModel() {
  const { manifest, onChange } = useEditor()
  const model = isMetered(manifest) ? 'token_metered' : 'fixed'
  return (
    <Segments
      label="Paid"
      options={models}
      value={model}
      onChange={value => value !== model && onChange(paidBy(manifest, value))}
    />
  )
}

/** The price of a new service, by its price model, and what its provider earns. */
export function Price() {
  const { manifest } = useEditor()
  const pricing = draftedPrice(manifest)
  return (
    <Card title="Price">
      {isMetered(manifest) ? (
        <div className={pair}>
          <TokenPrices />
          <LargestHold />
          <ModelTerms />
        </div>
      ) : (
        <Line
          className="sm:max-w-[calc(50%-0.5rem)]"
          path="pricing.amount"
          label="Price of a call"
          unit="USDC"
          inputMode="decimal"
          placeholder="0.05"
          hint="Charged only for 2xx responses. Enter 0 to make it free."
        />
      )}
      {pricing !== null && (
        <section aria-label="You earn" className="mt-5 border-t border-line pt-4">
          <p className="text-sm text-muted">You earn</p>
          <Earned pricing={pricing} />
        </section>
      )}
    </Card>
  )
}

function TokenPrices() {
  return (
    <>
      <Line
        path="inputPricePer1MTokensUsdc"
        label="A million input tokens"
        unit="USDC"
        inputMode="decimal"
        placeholder="0.50"
      />
      <Line
        path="outputPricePer1MTokensUsdc"
        label="A million output tokens"
        unit="USDC"
        inputMode="decimal"
        placeholder="1.50"
      />
      <Line
        path="cacheReadPricePer1M"
        label="A million input tokens read from your cache"
        unit="USDC"
        inputMode="decimal"
        hint="If empty, the input price applies."
      />
      <Line
        path="cacheWritePricePer1M"
        label="A million input tokens written to your cache"
        unit="USDC"
        inputMode="decimal"
        hint="If empty, the input price applies."
      />
    </>
  )
}

function LargestHold() {
  return (
    <Line
      path="maxAutoHoldUsdc"
      label="Largest automatic hold"
      unit="USDC"
      inputMode="decimal"
      placeholder="1"
      hint="More expensive calls must state their maximum cost."
    />
  )
}

/** The terms of a registered model, besides its prices. */
export function ModelCard() {
  return (
    <Card title="Model">
      <p className="mb-4 text-sm text-muted">
        A term that raises the hold of calls takes effect after the notice period, as a higher price does.
      </p>
      <div className={pair}>
        <ModelTerms />
      </div>
    </Card>
  )
}

function ModelTerms() {
  const { manifest, onChange } = useEditor()
  return (
    <>
      <Line
        isNumber
        path="defaultMaxOutputTokens"
        label="Default output tokens"
        placeholder="4096"
        hint="Used to calculate the hold of a call."
      />
      <Field label="Dialect" hint="The request format of your API and how it reports usage.">
        <Select
          className="w-full"
          options={dialects}
          value={readAt(manifest, 'llmDialect') === 'anthropic' ? 'anthropic' : 'openai'}
          onChange={value => onChange(writeAt(manifest, 'llmDialect', value))}
        />
      </Field>
      <Line
        path="upstreamModel"
        label="Model at your API"
        placeholder="small-1"
        hint="Sent as the model of every call, so that the price applies to one model."
      />
      <Line
        path="modelFamily"
        label="Model family"
        placeholder="llama-3.3-70b"
        hint="The name shared by all services of this model. Agents can let the gateway choose among them."
      />
      <Line
        isNumber
        path="mediaTokens"
        label="Input tokens per image, audio clip or file"
        placeholder="2000"
        hint="Added to the hold for each one sent as base64."
      />
      <Line
        isNumber
        path="contextTokens"
        label="Context window of the model, in tokens"
        hint="Allows calls that refer to earlier responses, stored files or remote URLs. Their hold counts this many input tokens. If empty, such calls are refused."
      />
    </>
  )
}
