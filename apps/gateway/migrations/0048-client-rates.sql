-- What clients have left of the rates of public reads, over all gateways: a level that refills with time. Clients are
-- keyed digests of their addresses. Unlogged: after a crash of the database every client starts afresh.
create unlogged table client_rates (
  policy text             not null,
  client bytea            not null check (length(client) = 32),
  level  double precision not null,
  at     timestamptz      not null,
  primary key (policy, client)
);
create index client_rates_by_age on client_rates (at);
