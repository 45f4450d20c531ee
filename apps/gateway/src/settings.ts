import { z } from 'zod'
import {
  accountKey,
  address,
  addresses,
  amount,
  baseUrl,
  count,
  databaseUrl,
  decimal,
  endpoints,
  httpUrl,
  key,
  matching,
  oneOf,
  onOrOff,
  origins,
  proxies,
  type Setting,
  seconds,
  secretText,
  sender,
  whole,
} from './setting-schemas.ts'

/** Every setting: read once from the environment, validated, frozen. The table in docs/operations.md is generated from it. */
export const settings = {
  FAREBOX_MODE: {
    schema: oneOf('dev', 'production').default('production'),
    doc: '`dev` starts its own database, chain, contracts and sample providers; refused when `NODE_ENV=production`. Default of `npm start`.',
  },
  PORT: {
    schema: count(0, { min: 0, max: 65_535 }),
    doc: 'Port to listen on; 0 takes a free one (dev tries 8402 first).',
  },
  HOST: { schema: z.string().default('127.0.0.1'), doc: 'Address to listen on.' },
  PUBLIC_URL: {
    schema: baseUrl.optional(),
    doc: 'URL for clients; domain and URI of sign-in messages. Default: the address listened on.',
  },
  FAREBOX_DATA_DIR: {
    schema: z.string().default('.farebox'),
    doc: 'Directory of dev mode for database, chain state and generated secrets.',
  },
  DATABASE_URL: {
    secret: true,
    schema: databaseUrl.optional(),
    required: 'production',
    doc: 'PostgreSQL 15 or newer, as the role of the gateways (Database roles, below). Dev default: embedded.',
  },
  MIGRATION_DATABASE_URL: {
    secret: true,
    schema: databaseUrl.optional(),
    doc: 'The same database as the role that owns the schema, for `npm run migrate`; if set, gateways migrate at start. Dev default: embedded.',
  },
  RUNTIME_ROLE: {
    schema: matching(/^[^\0]{1,63}$/, 'must be the name of a database role').optional(),
    doc: 'Role that migrations grant rights to. Default: the role of `DATABASE_URL` if `MIGRATION_DATABASE_URL` is set.',
  },
  DATABASE_TLS: {
    schema: oneOf('required', 'off').default('required'),
    doc: '`required`: databases on other machines need `sslmode=verify-full`, `verify-ca` or `require`. `off`: for a private network.',
  },
  DATABASE_CONNECTIONS: {
    schema: count(12, { min: 3, max: 200 }),
    doc: 'Maximum database connections of one gateway.',
  },
  PUBLIC_DATABASE_CONNECTIONS: {
    schema: count(4, { min: 1, max: 100 }),
    doc: 'Further connections, for public reads and searches. Their statements time out after 1 s, waits for a connection after 2 s.',
  },
  CHAIN_RPC_URL: {
    secret: true,
    schema: httpUrl.optional(),
    required: 'production',
    doc: 'JSON-RPC endpoint of the chain. Dev default: the local chain.',
  },
  RPC_URLS: {
    secret: true,
    schema: endpoints,
    doc: 'Further JSON-RPC endpoints of the chain, from other providers, separated by commas. What moves money then needs two that agree.',
  },
  CHAIN_PUBLIC_RPC_URL: {
    schema: httpUrl.optional(),
    doc: 'RPC endpoint shown to clients at `/api/v1/chain`. Default: `CHAIN_RPC_URL` without its path.',
  },
  CHAIN_ID: {
    schema: whole({ min: 1, max: Number.MAX_SAFE_INTEGER }).optional(),
    doc: 'Expected chain id; a gateway does not start on another chain.',
  },
  USDC_ADDRESS: {
    schema: address.optional(),
    doc: 'Expected token of the vault; a gateway does not start with another.',
  },
  VAULT_ADDRESS: {
    schema: address.optional(),
    required: 'production',
    doc: 'Address of the FareboxVault. Dev default: deployed at first start.',
  },
  TICKET_SIGNER_KEY: {
    secret: true,
    schema: accountKey.optional(),
    doc: "Private key of the vault's signer, for withdrawal tickets. Without it withdrawals wait for review and cannot be approved. Dev default: generated.",
  },
  TICKET_SIGNER_URL: {
    secret: true,
    schema: httpUrl.optional(),
    doc: 'JSON-RPC endpoint that signs tickets by `eth_signTypedData_v4`, in place of `TICKET_SIGNER_KEY`; requires `TICKET_SIGNER_ADDRESS`.',
  },
  TICKET_SIGNER_ADDRESS: {
    schema: address.optional(),
    doc: 'Account of `TICKET_SIGNER_URL` that signs.',
  },
  X402_SETTLER_KEY: {
    secret: true,
    schema: accountKey.optional(),
    doc: 'Private key that pays the gas of x402 payments; it holds ether and no USDC. Without it `/x402` is off. Dev default: generated and funded.',
  },
  X402_CONFIRMATIONS: {
    schema: count(1, { min: 1, max: 1_000 }),
    doc: 'Confirmations before a call that was paid by x402 is made.',
  },
  X402_AT_RISK_USDC: {
    schema: amount.default('25'),
    doc: 'Maximum USDC credited by x402 before `REQUIRED_CONFIRMATIONS`, in all; further payments wait for these.',
  },
  X402_MIN_USDC: {
    schema: amount.default('0'),
    doc: "Minimum x402 payment, to cover its gas; what a cheaper call leaves is the payer's.",
  },
  JWT_SECRET: {
    secret: true,
    schema: secretText(32, 4_096).optional(),
    required: 'production',
    doc: 'Secret of wallet session tokens, at least 32 characters.',
  },
  ENCRYPTION_KEY: {
    secret: true,
    schema: key.optional(),
    required: 'production',
    doc: '32 bytes, hex: encrypts secrets at rest (`upstreamHeaders`, ...), derives voucher codes.',
  },
  REQUIRED_CONFIRMATIONS: {
    schema: whole({ min: 1, max: 1_000 }).optional(),
    doc: 'Confirmations before chain events count. Default 12, in dev 1.',
  },
  FOLLOWER_START_BLOCK: {
    schema: count(0, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    doc: 'First block that the vault follower reads: the block that deployed the vault.',
  },
  FOLLOWER_INTERVAL_SECONDS: {
    schema: decimal({ min: 0.05, max: 600 }).optional(),
    doc: 'Seconds between reads of the chain. Default 2, in dev 0.5; five times as long, at most 10, with no open claim, uncredited deposit, ticket or finding.',
  },
  AUTO_CREDIT_AFTER_SECONDS: {
    schema: seconds(60, { min: 0, max: 86_400 }),
    doc: 'Delay before a confirmed deposit that was not registered is credited.',
  },
  LEASE_SECONDS: {
    schema: seconds(30, { min: 0.5, max: 3_600 }),
    doc: 'Time after which the holds of a gateway that died are released.',
  },
  ALLOW_PRIVATE_TARGETS: {
    schema: onOrOff.optional(),
    doc: 'Allows provider targets with private addresses. Default off, in dev on. While off, their names are looked up by name servers alone, not in `/etc/hosts`.',
  },
  REQUIRE_TARGET_PROOF: {
    schema: onOrOff.default('false').transform(text => text === 'true' || text === '1'),
    doc: 'Accepts only targets whose server names the wallet in `/.well-known/farebox.json`: `{"providers": ["0x..."]}`.',
  },
  ALLOW_HTTP_TARGETS: {
    schema: onOrOff.optional(),
    doc: 'Allows provider targets with plain http. Default off, in dev on.',
  },
  PRICE_NOTICE_SECONDS: {
    schema: seconds(3_600, { min: 0, max: 2_592_000 }),
    doc: 'Notice before a higher price of a model or MCP tool applies to callers who state no price. 0: none.',
  },
  PROBE_INTERVAL_SECONDS: {
    schema: seconds(30, { min: 0.1, max: 86_400 }),
    doc: 'Seconds between health probes of a target, with jitter.',
  },
  PINGS_PER_MINUTE: {
    schema: count(6, { min: 1, max: 1_000_000 }),
    doc: 'Probes caused by owners (pings, registrations, changes) in 60 seconds, per service and per host, across gateways.',
  },
  RECONCILE_INTERVAL_SECONDS: {
    schema: seconds(60, { min: 0.5, max: 86_400 }),
    doc: 'Seconds between checks of the ledger invariants and the reserves.',
  },
  REPLAY_RETENTION_DAYS: {
    schema: count(30, { min: 1, max: 36_500 }),
    doc: 'Days that answers and streams of paid calls can be replayed (free calls: one). Keys, charges and receipts are kept for ever.',
  },
  REQUEST_BYTES_MAX: {
    schema: count(1_048_576, { min: 1_024, max: 104_857_600 }),
    doc: 'Maximum request body, in bytes; 65,536 for operations that need no token.',
  },
  HEADERS_TIMEOUT_SECONDS: {
    schema: seconds(15, { min: 0.1, max: 600 }),
    doc: 'Maximum time to receive the head of a request.',
  },
  REQUEST_TIMEOUT_SECONDS: {
    schema: seconds(30, { min: 0.1, max: 600 }),
    doc: 'Maximum time to receive a request, or to wait for a client to read its answer.',
  },
  CONNECTIONS_MAX: {
    schema: count(20_000, { min: 10, max: 1_000_000 }),
    doc: 'Maximum client connections; further ones are dropped.',
  },
  CALL_WAIT_SECONDS_MAX: {
    schema: seconds(0.5, { min: 0.1, max: 60 }),
    doc: 'Maximum expected wait of a paid call for its hold; beyond it calls get 503.',
  },
  CALLS_WAITING_MAX: {
    schema: count(8_192, { min: 8, max: 1_000_000 }),
    doc: 'Maximum paid calls that wait for their hold; one owner may take half.',
  },
  CALLS_PER_OWNER: {
    schema: count(2_000, { min: 1, max: 1_000_000 }),
    doc: 'Maximum paid calls of one wallet in flight at one gateway; further ones get 429.',
  },
  STREAMS_PER_OWNER: {
    schema: count(500, { min: 1, max: 1_000_000 }),
    doc: 'How many of these may be streams.',
  },
  ABANDONED_STREAMS_PER_OWNER: {
    schema: count(32, { min: 0, max: 1_000_000 }),
    doc: 'Maximum streams of one wallet read to their end after their callers left; further ones are cut and charged as received.',
  },
  UPSTREAM_RESPONSE_BYTES_MAX: {
    schema: count(10_485_760, { min: 1_024, max: 1_073_741_824 }),
    doc: 'Maximum provider answer that is neither JSON nor a stream, in decoded bytes.',
  },
  UPSTREAM_STREAM_BYTES_MAX: {
    schema: count(67_108_864, { min: 1_024, max: 1_073_741_824 }),
    doc: 'Maximum stream of a provider, in decoded bytes.',
  },
  UPSTREAM_ANSWER_MAX_BYTES: {
    schema: count(2_097_152, { min: 1_024, max: 10_485_760 }),
    doc: 'Maximum JSON answer, or event of a stream, of a provider, in decoded bytes; also 64 levels and 100,000 values.',
  },
  SPENDING_LIMIT_USDC: {
    schema: amount.default('1000'),
    doc: 'Monthly spending policy of owners who have set none, in USDC.',
  },
  BALANCE_LOW_USDC: {
    schema: amount.default('1'),
    doc: 'Default threshold of the low-balance alert, in USDC.',
  },
  PLATFORM_FEE_BPS: {
    schema: count(0, { min: 0, max: 10_000 }),
    doc: "Platform fee in basis points, taken from the provider's share.",
  },
  SIGNING_KEY_DAYS: {
    schema: count(30, { min: 1, max: 3_650 }),
    doc: 'Days between rotations of the key that signs requests to providers.',
  },
  SIGNING_KEY_OVERLAP_HOURS: {
    schema: count(24, { min: 1, max: 720 }),
    doc: 'Hours that a signing key is published before its first and after its last signature.',
  },
  WITHDRAW_AUTO_APPROVE_MAX_USDC: {
    schema: amount.default('1000'),
    doc: 'Per wallet and UTC day; withdrawals beyond it wait for review.',
  },
  WITHDRAW_AUTO_APPROVE_TOTAL_USDC: {
    schema: amount.default('10000'),
    doc: 'All wallets together, per UTC day; withdrawals beyond it wait for review.',
  },
  SMTP_URL: {
    secret: true,
    schema: z.url({ protocol: /^smtps?$/, error: 'must be a smtp: or smtps: URL' }).optional(),
    doc: 'Mail server, `smtps://user:password@host:465` or `smtp://host:587?requireTLS=true`. Without it emails cannot be verified. Dev default: built in; read its mails at `GET /dev/mailbox`.',
  },
  MAIL_FROM: {
    schema: sender.optional(),
    doc: 'Sender of mails, such as `Farebox <no-reply@example.com>`; required with `SMTP_URL`. Dev default: `Farebox <farebox@localhost>`.',
  },
  MAILS_PER_ADDRESS: {
    schema: whole({ min: 1, max: 1_000_000 }).optional(),
    doc: 'Verification mails to one address per UTC day (RATE_LIMITED beyond). Default 20, in dev 10000.',
  },
  ADMIN_WALLETS: { schema: addresses, doc: 'Wallets with the admin role, separated by commas.' },
  TRUST_PROXY: {
    schema: proxies,
    doc: 'Proxies whose `X-Forwarded-For` is trusted: their number in front of the gateway, or their CIDRs separated by commas. `0`: none. `true` is refused.',
  },
  CORS_ORIGINS: {
    schema: origins,
    doc: 'Origins whose pages may call routes that need a token, separated by commas.',
  },
  LIVE_SERVICE: {
    schema: matching(/^[a-z0-9_-]{1,64}$/, 'must be an agentToolName').optional(),
    doc: 'Free service (agentToolName) that visitors may call on the front page; needs `/x402`. Dev default: `hello`.',
  },
  WALLETCONNECT_PROJECT_ID: {
    schema: matching(/^[0-9a-f]{32}$/i, 'must be 32 hex digits').optional(),
    doc: 'WalletConnect project (32 hex digits) for wallets on a phone. Without it WalletConnect is off.',
  },
  WALLETCONNECT_RELAY_URL: {
    schema: z
      .url({ protocol: /^wss?$/, error: 'must be a wss: or ws: URL' })
      .default('wss://relay.walletconnect.org'),
    doc: 'Relay for the encrypted messages between console and phone.',
  },
  CHALLENGES_PER_MINUTE: {
    schema: count(30, { min: 1, max: 1_000_000 }),
    doc: 'Sign-in challenges, and registrations of OAuth clients, per client address and minute.',
  },
  METRICS_TOKEN: {
    secret: true,
    schema: secretText(16, 512).optional(),
    doc: 'Bearer token for `GET /metrics`, at least 16 characters. Without it production refuses access; dev allows all.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: 'OpenTelemetry collector (OTLP over HTTP), such as `http://localhost:4318`; headers in `OTEL_EXPORTER_OTLP_HEADERS`. Without it tracing is off.',
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).max(255).default('farebox'),
    doc: 'Service name in traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: seconds(1, { min: 0, max: 1 }),
    doc: "Sampling ratio, 0 to 1, of traces that begin here; others follow the caller's decision.",
  },
  SEARCHES_PER_MINUTE: {
    schema: count(600, { min: 1, max: 10_000_000 }),
    doc: 'Requests per client address and minute to each of forum, market, discovery, registry, proofs, OAuth requests, single services and their pages, across gateways (each may exceed it by a tenth); also searches per agent credential.',
  },
  LOG_LEVEL: {
    schema: oneOf('debug', 'info', 'warn', 'error', 'silent').optional(),
    doc: 'Default `info`, in dev `warn`.',
  },
  LOG_SUCCESS_SHARE: {
    schema: seconds(0, { min: 0, max: 1 }),
    doc: 'Share of successful requests, 0 to 1, with an access line at `info`. Failed ones always have one.',
  },
  DRAIN_SECONDS: {
    schema: seconds(25, { min: 0, max: 3_660 }),
    doc: 'Maximum wait for calls in flight after SIGTERM, including `STOP_PAUSE_SECONDS`.',
  },
  STOP_PAUSE_SECONDS: {
    schema: decimal({ min: 0, max: 600 }).optional(),
    doc: 'Time after SIGTERM in which calls are accepted while `GET /ready` answers 503. Default 5, in dev 0.',
  },
} as const satisfies Record<string, Setting>
