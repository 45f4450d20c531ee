-- Promotional credit, told apart from deposited money to the last withdrawal.

-- Of a consumer: the part of `posted` that vouchers paid and no call has spent. Of a provider: the part of what it could
-- withdraw (posted - reserved) that was earned by calls paid with such credit. Zero of the platform.
alter table accounts add column promotional bigint not null default 0 check (promotional >= 0);

-- The part of the charge that was paid with promotional credit. Not validated: older calls have none.
alter table invocations add column promotional bigint not null default 0;
alter table invocations add constraint promotional_is_a_part_of_the_charge
  check (promotional between 0 and charged) not valid;

-- The part of each record's amount that is promotional.
alter table voucher_redemptions add column promotional bigint not null default 0;
alter table promotion_fundings add column promotional bigint not null default 0;
alter table settlements add column promotional bigint not null default 0;
alter table withdrawals add column promotional bigint not null default 0 check (promotional between 0 and amount);
create index withdrawals_promotional_by_account on withdrawals (('provider:' || wallet)) where promotional > 0;

-- What accounts had of it when it was first told apart, append-only. Nobody knows what had become of the vouchers that
-- were redeemed before, so the most that can be left of them is taken to be left, on both sides: of a consumer, all that
-- it has, up to the vouchers that it redeemed; of a provider, all that it could withdraw, up to all vouchers ever
-- redeemed, since any of them may have been spent on its services. Money that is locked for a withdrawal is let go.
create table promotional_openings (
  account   text        primary key,
  amount    bigint      not null check (amount > 0),
  opened_at timestamptz not null default clock_timestamp()
);
insert into promotional_openings (account, amount)
select a.id, least(a.posted, r.amount)
from (select 'consumer:' || wallet as id, sum(amount) as amount from voucher_redemptions group by wallet) r
join accounts a on a.id = r.id
where a.posted > 0
union all
select a.id, least(a.posted - a.reserved, r.amount)
from accounts a, (select sum(amount) as amount from voucher_redemptions) r
where a.id like 'provider:%' and a.posted > a.reserved and r.amount > 0;
update accounts a set promotional = o.amount from promotional_openings o where o.account = a.id;
create trigger promotional_openings_are_append_only before update or delete or truncate on promotional_openings
  for each statement execute function refuse_change();

-- What records other than calls say of the promotional part of accounts. `version` is the transaction that wrote them.
create view recorded_promotions as
  select account, amount, xmin as version from promotional_openings
  union all
  select 'consumer:' || wallet, promotional, xmin from voucher_redemptions
  union all
  select 'consumer:' || wallet, -promotional, xmin from promotion_fundings
  union all
  select 'provider:' || wallet, -promotional, xmin
  from withdrawals where promotional > 0 and status not in ('CANCELLED', 'REJECTED')
  union all
  select account, -promotional, xmin from settlements;

-- What calls have changed of the promotional part: spent by a consumer (below zero), earned by a provider.
alter table account_sums add column promoted bigint not null default 0;
-- A gateway of an earlier version cannot add to the sums from here on.
alter table account_sums alter column promoted drop default;
