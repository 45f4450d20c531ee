-- Why a service or wallet is suspended, for its owner to read; null: not said, or not suspended.
alter table services add column suspension_reason text;
alter table wallets add column suspension_reason text;
