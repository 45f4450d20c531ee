-- A reorganisation may move several redemptions of one transaction at once: one takes the place that another had. Its
-- ticket's nonce is what a redemption is booked once by.
alter table withdrawals drop constraint withdrawals_redeemed_in_key;
