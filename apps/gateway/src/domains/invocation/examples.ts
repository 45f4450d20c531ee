import { exampleId } from '@farebox/wire/common'

// Examples for the published contract.

const invocationId = exampleId('inv')
const serviceId = exampleId('svc')
const credentialId = exampleId('cred')
const startedAt = '2026-11-21T09:30:00.000Z'
const finishedAt = '2026-11-21T09:30:00.184Z'
const cached = { cacheReadTokens: 128, cacheWriteTokens: 0 }
const usage = { inputTokens: 412, outputTokens: 96, totalTokens: 508, ...cached }

const receipt = {
  invocationId,
  serviceId,
  credentialId,
  startedAt,
  finishedAt,
  latencyMs: 184,
  attempts: 1,
  requestHash: '6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090',
  responseHash: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
}

/** Body of a call of a fixed-price service. */
export const invokeBody = {
  serviceId: 'weather',
  idempotencyKey: 'order-4711',
  costUsdc: '0.050000',
  payload: { body: { city: 'Lisbon' } },
}

/** Answer of a token-metered call. */
export const result = {
  invocationId,
  status: 'SUCCEEDED',
  chargedUsdc: '0.002676',
  usage,
  gateway: {
    priceModel: 'token_metered',
    holdUsdc: '0.020000',
    chargedUsdc: '0.002676',
    releasedUsdc: '0.017324',
    preAuthMode: 'explicit',
  },
  receipt: { ...receipt, usage },
  result: { choices: [{ index: 0, message: { role: 'assistant', content: 'Sunny, 21 degrees.' } }] },
}

/** The same, read again. */
export const shown = { ...result, holdUsdc: '0.020000', releasedUsdc: '0.017324' }

const call = {
  invocationId,
  serviceId,
  status: 'SUCCEEDED',
  chargedUsdc: '0.002676',
  holdUsdc: '0.020000',
  releasedUsdc: '0.017324',
  errorCode: null,
  latencyMs: 184,
  attempts: 1,
  startedAt,
  finishedAt,
}

/** A page of the usage log. */
export const usageLogs = {
  status: 'success',
  logs: [
    { ...call, credentialId, idempotencyKey: 'order-4711', inputTokens: 412, outputTokens: 96, ...cached },
  ],
  nextCursor: null,
}

const spent = { calls: 128, failedCalls: 3, spentUsdc: '0.342528' }
const active = { ...spent, inputTokens: 51_200, cacheReadTokens: 12_800, outputTokens: 8_192 }
const latency = { latencyP50Ms: 412, latencyP95Ms: 1_830 }
const start = '2026-11-21T00:00:00.000Z'

/** A spending summary of a wallet. */
export const spending = {
  status: 'success',
  days: 1,
  from: start,
  to: '2026-11-21T10:30:00.000Z',
  total: { ...active, ...latency, refusedCalls: 4 },
  buckets: [{ start, ...active, ...latency, refusedCalls: 4 }],
  series: [{ key: serviceId, ...active, ...latency, points: [{ start, ...active }] }],
  refusals: [{ credentialId, code: 'BUDGET_EXHAUSTED', limit: 'credential_credit', calls: 4, lastAt: start }],
  byDay: [{ day: '2026-11-21', ...spent }],
  byService: [{ serviceId, ...spent, lastCallAt: startedAt }],
  byCredential: [{ credentialId, ...spent, lastCallAt: startedAt }],
  countedFrom: null,
}

const earned = { ...call, feeUsdc: '0.000000', usage, processingReason: null, reportUsageBy: null }

/** A page of a provider's calls. */
export const earnedCalls = { status: 'success', invocations: [earned], nextCursor: null }

/** A call with reported usage. */
export const reported = { status: 'success', invocation: earned }

const trafficSums = {
  calls: 132,
  callers: 2,
  succeeded: 128,
  open: 1,
  providerFaults: 2,
  callerFaults: 1,
  otherFaults: 0,
  latencyMs: { p50: 184, p95: 420, p99: 1_130 },
  earnedUsdc: '0.342528',
  promotionalUsdc: '0.000000',
}

/** The traffic of a provider's services. */
export const traffic = {
  status: 'success',
  from: '2026-11-21T14:00:00.000Z',
  to: '2026-11-21T15:00:00.000Z',
  bucket: 'hour',
  total: trafficSums,
  series: [{ start: '2026-11-21T14:00:00.000Z', ...trafficSums }],
  byService: [{ serviceId, ...trafficSums }],
  byTarget: [
    {
      serviceId,
      url: 'https://eu.weather.example/v1/now',
      calls: 133,
      succeeded: 128,
      providerFaults: 3,
      callerFaults: 1,
      otherFaults: 0,
      latencyMs: { p50: 181, p95: 430, p99: 1_217 },
      earnedUsdc: '0.342528',
    },
  ],
  byCaller: [
    { calls: 120, succeeded: 117, earnedUsdc: '0.313092', lastAt: finishedAt },
    { calls: 12, succeeded: 11, earnedUsdc: '0.029436', lastAt: finishedAt },
  ],
  failures: [
    {
      fault: 'provider',
      code: 'UPSTREAM_ERROR',
      httpStatus: 502,
      reason: 'status',
      upstreamStatus: 503,
      message: 'The provider returned an error. Nothing was charged.',
      upstreamBody: '{"error": "overloaded"}',
      calls: 2,
      lastAt: finishedAt,
      lastInvocationId: call.invocationId,
    },
  ],
  countedFrom: null,
}
