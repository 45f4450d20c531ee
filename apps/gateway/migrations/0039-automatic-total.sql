-- Whether a withdrawal got its ticket without a review: the platform has a limit of these for each UTC day. Of earlier
-- ones nobody knows; those of today that may have are taken to have.
alter table withdrawals add column is_automatic boolean not null default false;
update withdrawals set is_automatic = true
where status in ('APPROVED_AUTO', 'COMPLETED', 'CANCELLED') and opened_at >= date_trunc('day', now(), 'UTC');
create index withdrawals_automatic_of_a_day on withdrawals (opened_at) include (amount) where is_automatic;

-- The fee of the platform when the call was held, in basis points: a later report is charged by it. Null of older calls.
alter table metered_calls add column fee_bps integer;
