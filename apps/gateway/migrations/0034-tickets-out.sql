-- Tickets that the vault may have paid already: what it may hold less than is owed. A withdrawal under review has none.
create view tickets_out as
  select id, wallet, amount from withdrawals where status in ('APPROVED_AUTO', 'APPROVED_MANUAL');
