/** A part of the gateway whose tests are tried by changing its sources. Paths from the root of the project. */
export type Area = {
  readonly name: string
  readonly sources: readonly string[]
  /** The tests that have to notice: those that need neither a database nor a chain. */
  readonly tests: readonly string[]
}

const domains = 'apps/gateway/src/domains'
const adapters = 'apps/gateway/src/adapters'

/** Sources in which a mistake costs money or grants access. */
export const AREAS: readonly Area[] = [
  {
    name: 'money',
    sources: ['packages/money/src/index.ts'],
    tests: ['packages/money/src/index.test.ts'],
  },
  {
    name: 'ledger',
    sources: [`${domains}/ledger/rules.ts`],
    tests: [`${domains}/ledger/rules.test.ts`],
  },
  {
    name: 'admission',
    sources: [
      `${domains}/credentials/{rules,budget-rules}.ts`,
      `${domains}/invocation/admission/{admit,decide-batch,batch-cost,fair-queue,fifo,admission-queue}.ts`,
    ],
    tests: [
      `${domains}/credentials/{rules,budget-rules}.test.ts`,
      `${domains}/invocation/admission/{admit,admission,decide-batch,batch-cost,fair-queue,fifo,admission-queue}.test.ts`,
    ],
  },
  {
    name: 'log',
    sources: [
      `${domains}/invocation/log/{ledger-events,ledger-memory,append-decision,database-time,append-batch,follow-log}.ts`,
      `${domains}/invocation/admission/call-batch.ts`,
    ],
    tests: [
      `${domains}/invocation/log/{ledger-events,ledger-memory,ledger-fold,append-decision,database-time,append-batch,follow-log}.test.ts`,
      `${domains}/invocation/admission/{call-batch,decide-batch}.test.ts`,
    ],
  },
  {
    name: 'price',
    sources: [
      `${domains}/invocation/pricing/{quote-call,settle-rules,metering-rules,usage-rules,stream-usage-rules}.ts`,
    ],
    tests: [
      `${domains}/invocation/pricing/{quote-call,settle-rules,metering-rules,usage-rules,stream-usage-rules}.test.ts`,
    ],
  },
  {
    name: 'auth',
    sources: [`${domains}/auth/{rules,challenge-text,session-token}.ts`],
    tests: [`${domains}/auth/{rules,challenge-text,session-token}.test.ts`],
  },
  {
    name: 'targets',
    sources: [`${adapters}/upstream/{safe-address,upstream-connector}.ts`],
    tests: [`${adapters}/upstream/{safe-address,upstream-connector}.test.ts`],
  },
  {
    name: 'redaction',
    sources: [
      `${domains}/redaction/{redaction-rules,secret-rules,folding-rules}.ts`,
      `${adapters}/log-redaction.ts`,
    ],
    tests: [
      `${domains}/redaction/{redaction,secret,folding}-rules.test.ts`,
      `${adapters}/{log,log-redaction}.test.ts`,
    ],
  },
]
