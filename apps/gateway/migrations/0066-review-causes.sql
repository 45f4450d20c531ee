-- Why a withdrawal got no ticket when it was opened; empty: it got one, or was opened before this was kept.
alter table withdrawals add column review_causes text[] not null default '{}';
