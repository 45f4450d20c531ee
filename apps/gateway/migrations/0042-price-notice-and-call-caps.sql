-- The terms that callers of a service meet until a time, where saved ones that cost more take effect only then; null
-- when none do. See apps/gateway/src/domains/services/price-notice-rules.ts.
alter table services add column notice_pricing jsonb, add column notice_ends_at timestamptz;

-- Most that one call of a credential may cost, in micro-USDC; null: no cap.
alter table credentials add column max_cost_per_call bigint;
