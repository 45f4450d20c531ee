// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Farebox vault
/// @notice Holds the USDC behind the balances of the Farebox ledger. Anyone deposits for themselves; money leaves
/// only against a ticket signed (EIP-712) by the gateway's signer, and never faster than the daily cap.
/// @dev Every amount is in base units of the token: USDC has 6 decimals, so 1 USDC is 1_000_000.
///
/// What each key can do. The signer decides who is paid, within the cap. The owner appoints the signer, sets the cap
/// and pauses. No function pays the owner, but an owner who appoints itself as signer can sign tickets like any
/// other signer: the owner is meant to be a multisignature wallet or a timelock, apart from the signer's key.
///
/// The vault keeps no balances per depositor: those live in the ledger. Tokens sent to the vault by a plain transfer
/// emit no {Deposited}. The gateway credits those that an EIP-3009 authorization moved to its signer, and others to
/// nobody; there is deliberately no function that sweeps them out.
contract FareboxVault is EIP712, Ownable2Step, Pausable, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// @notice Permission to pay `amount` base units to `to`, once, until `deadline`.
    /// @param to who is paid
    /// @param amount how much, in base units of the token
    /// @param deadline the last second (Unix time) at which the ticket is good
    /// @param nonce identifies the withdrawal; a ticket issued again for the same withdrawal carries the same nonce,
    /// so that at most one of them is ever paid
    struct Ticket {
        address to;
        uint256 amount;
        uint256 deadline;
        bytes32 nonce;
    }

    /// @notice EIP-712 type hash of {Ticket}.
    bytes32 public constant TICKET_TYPEHASH =
        keccak256("Ticket(address to,uint256 amount,uint256 deadline,bytes32 nonce)");

    /// @dev The current hour and the 24 hours before it. 24 buckets would forget a withdrawal made late in an hour
    /// up to an hour early; the 25th makes the count err on the safe side instead.
    uint256 private constant _WINDOW_BUCKETS = 25;

    IERC20 private immutable _token;

    address private _signer;
    uint256 private _depositCount;
    uint256 private _dailyWithdrawalCap;

    mapping(bytes32 nonce => bool used) private _usedNonces;

    /// @dev `_windowSpent` is the sum of `_spentByHour`; both are as of `_windowHour` (Unix time in whole hours; 0, and
    /// so long out of the window, until the first withdrawal).
    uint256[_WINDOW_BUCKETS] private _spentByHour;
    uint256 private _windowHour;
    uint256 private _windowSpent;

    /// @notice `owner` deposited `amount` base units.
    /// @param owner who deposited, and whose ledger account is credited
    /// @param amount how much arrived, in base units
    /// @param depositId unique over all deposits of all vaults on all chains
    event Deposited(address indexed owner, uint256 amount, bytes32 indexed depositId);

    /// @notice A ticket was paid.
    /// @param to who was paid
    /// @param amount how much, in base units
    /// @param nonce the ticket's nonce, now used up
    event Withdrawn(address indexed to, uint256 amount, bytes32 indexed nonce);

    /// @notice Tickets must be signed by `current` from now on.
    /// @param previous the signer until now; zero at deployment
    /// @param current the signer from now on
    event SignerChanged(address indexed previous, address indexed current);

    /// @notice The daily withdrawal cap changed.
    /// @param previous the cap until now, in base units
    /// @param current the cap from now on, in base units
    event DailyWithdrawalCapChanged(uint256 previous, uint256 current);

    /// @notice An address that must be set is zero.
    error ZeroAddress();

    /// @notice The amount is zero.
    error ZeroAmount();

    /// @notice The token moved a different amount than it was told to, as tokens that take a fee do.
    /// @param expected the amount that had to move, in base units
    /// @param actual the amount by which the balance changed, in base units
    error UnexpectedTransferAmount(uint256 expected, uint256 actual);

    /// @notice The ticket's deadline has passed.
    /// @param deadline the last second (Unix time) at which it was good
    error TicketExpired(uint256 deadline);

    /// @notice A ticket with this nonce has been paid already.
    /// @param nonce the nonce in question
    error NonceUsed(bytes32 nonce);

    /// @notice The signature is not the current signer's over this ticket, for this vault, on this chain.
    error InvalidSignature();

    /// @notice Paying the ticket now would exceed the daily withdrawal cap.
    /// @param requested the ticket's amount, in base units
    /// @param available what the cap leaves at the moment, in base units
    error DailyCapExceeded(uint256 requested, uint256 available);

    /// @notice The vault must always have an owner: without one nobody could pause it or replace a lost signer.
    error OwnershipCannotBeRenounced();

    /// @notice Deploys a vault for one token, for good.
    /// @param token_ the token it holds: USDC
    /// @param signer_ who signs tickets: an account with a key, or an ERC-1271 contract
    /// @param owner_ who may pause, replace the signer and set the cap
    /// @param dailyWithdrawalCap_ the most that may leave in any 24 hours, in base units
    constructor(
        IERC20 token_,
        address signer_,
        address owner_,
        uint256 dailyWithdrawalCap_
    ) EIP712("FareboxVault", "1") Ownable(owner_) {
        if (address(token_) == address(0)) revert ZeroAddress();
        _token = token_;
        _setSigner(signer_);
        _setDailyWithdrawalCap(dailyWithdrawalCap_);
    }

    /// @notice Moves `amount` base units from the caller, who has approved the vault for them, into the vault.
    /// @dev Reverts with {ZeroAmount}, {UnexpectedTransferAmount}, `EnforcedPause`, or the token's own error.
    /// @param amount how much, in base units
    /// @return depositId the id that {Deposited} carries
    function deposit(uint256 amount) external nonReentrant whenNotPaused returns (bytes32 depositId) {
        return _deposit(amount);
    }

    /// @notice Like {deposit}, with the approval (EIP-2612 permit) in the same transaction.
    /// @dev The signed permit is public as soon as the transaction is, and anyone may hand it to the token first. Its
    /// effect, the allowance, is then there all the same; so a permit that fails is ignored and the transfer decides.
    /// @param amount how much, in base units; also the permit's value
    /// @param deadline the permit's deadline (Unix time)
    /// @param v recovery id of the permit's signature
    /// @param r first half of the permit's signature
    /// @param s second half of the permit's signature
    /// @return depositId the id that {Deposited} carries
    function depositWithPermit(
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant whenNotPaused returns (bytes32 depositId) {
        try IERC20Permit(address(_token)).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        return _deposit(amount);
    }

    /// @notice Pays a ticket to its `to`, whoever submits it.
    /// @dev Reverts with {ZeroAddress}, {ZeroAmount}, {TicketExpired}, {NonceUsed}, {InvalidSignature},
    /// {DailyCapExceeded}, {UnexpectedTransferAmount}, `EnforcedPause`, or the token's own error. A reverted ticket
    /// stays unused and can be submitted again, for instance when the cap has room.
    /// @param ticket what to pay, to whom
    /// @param signature the signer's EIP-712 signature over `ticket`: 65 bytes r, s, v if the signer has no code,
    /// otherwise whatever its ERC-1271 `isValidSignature` accepts (also an EIP-7702 account answers by ERC-1271)
    function withdraw(Ticket calldata ticket, bytes calldata signature) external nonReentrant whenNotPaused {
        if (ticket.to == address(0)) revert ZeroAddress();
        if (ticket.amount == 0) revert ZeroAmount();
        if (block.timestamp > ticket.deadline) revert TicketExpired(ticket.deadline);
        if (_usedNonces[ticket.nonce]) revert NonceUsed(ticket.nonce);
        if (!SignatureChecker.isValidSignatureNowCalldata(_signer, hashTicket(ticket), signature)) {
            revert InvalidSignature();
        }
        _usedNonces[ticket.nonce] = true;
        _spend(ticket.amount);
        _pay(ticket.to, ticket.amount);
        emit Withdrawn(ticket.to, ticket.amount, ticket.nonce);
    }

    /// @notice Replaces the signer at once. Open tickets of the previous signer are refused from now on, which is the
    /// point when its key has leaked; the gateway issues them again under the same nonces.
    /// @dev Only the owner. Reverts with {ZeroAddress}.
    /// @param newSigner the signer from now on
    function setSigner(address newSigner) external onlyOwner {
        _setSigner(newSigner);
    }

    /// @notice Sets the most that may leave in any 24 hours. What has left already counts against the new cap; a cap
    /// of zero stops withdrawals while deposits go on.
    /// @dev Only the owner.
    /// @param newCap the cap from now on, in base units
    function setDailyWithdrawalCap(uint256 newCap) external onlyOwner {
        _setDailyWithdrawalCap(newCap);
    }

    /// @notice Stops deposits and withdrawals.
    /// @dev Only the owner. Reverts with `EnforcedPause` if paused already.
    function pause() external onlyOwner {
        _pause();
    }

    /// @notice Lets deposits and withdrawals go on.
    /// @dev Only the owner. Reverts with `ExpectedPause` if not paused.
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Always reverts with {OwnershipCannotBeRenounced}. Ownership is only ever handed over, in two steps.
    function renounceOwnership() public pure override {
        revert OwnershipCannotBeRenounced();
    }

    /// @notice The token this vault holds.
    function token() external view returns (IERC20) {
        return _token;
    }

    /// @notice Who signs tickets.
    function signer() external view returns (address) {
        return _signer;
    }

    /// @notice How many deposits there have been.
    function depositCount() external view returns (uint256) {
        return _depositCount;
    }

    /// @notice The most that may leave in any 24 hours, in base units.
    function dailyWithdrawalCap() external view returns (uint256) {
        return _dailyWithdrawalCap;
    }

    /// @notice Whether a ticket with this nonce has been paid.
    /// @param nonce a ticket's nonce
    function isNonceUsed(bytes32 nonce) external view returns (bool) {
        return _usedNonces[nonce];
    }

    /// @notice The largest ticket that could be paid now, in base units: what the cap leaves, or what the vault
    /// holds if that is less; zero while paused.
    function availableToWithdraw() external view returns (uint256) {
        if (paused()) return 0;
        return Math.min(_capLeft(_spentInWindow(_currentHour())), _token.balanceOf(address(this)));
    }

    /// @notice What the cap counts as withdrawn at the moment, in base units: everything of the last 24 hours, and at
    /// most one hour more.
    function withdrawnInWindow() external view returns (uint256) {
        return _spentInWindow(_currentHour());
    }

    /// @notice The EIP-712 digest that the signer signs for `ticket`.
    /// @param ticket the ticket to hash
    function hashTicket(Ticket calldata ticket) public view returns (bytes32) {
        return
            _hashTypedDataV4(
                keccak256(abi.encode(TICKET_TYPEHASH, ticket.to, ticket.amount, ticket.deadline, ticket.nonce))
            );
    }

    function _deposit(uint256 amount) private returns (bytes32 depositId) {
        if (amount == 0) revert ZeroAmount();
        uint256 balanceBefore = _token.balanceOf(address(this));
        _token.safeTransferFrom(msg.sender, address(this), amount);
        _requireMoved(amount, balanceBefore, _token.balanceOf(address(this)));
        depositId = keccak256(abi.encode(block.chainid, address(this), ++_depositCount));
        emit Deposited(msg.sender, amount, depositId);
    }

    /// @dev The vault must lose, and the recipient gain, exactly `amount`. A ticket to the vault itself fails here.
    function _pay(address to, uint256 amount) private {
        uint256 recipientBefore = _token.balanceOf(to);
        uint256 vaultBefore = _token.balanceOf(address(this));
        _token.safeTransfer(to, amount);
        _requireMoved(amount, recipientBefore, _token.balanceOf(to));
        _requireMoved(amount, _token.balanceOf(address(this)), vaultBefore);
    }

    function _requireMoved(uint256 amount, uint256 low, uint256 high) private pure {
        uint256 moved = Math.saturatingSub(high, low);
        if (moved != amount) revert UnexpectedTransferAmount(amount, moved);
    }

    /// @dev The circuit breaker: a rolling window in 25 hourly buckets. A leaky bucket would need less storage, but it
    /// lets up to twice the cap through in 24 hours (a full burst, then the refill); here the cap is what it says.
    function _spend(uint256 amount) private {
        uint256 hour = _currentHour();
        uint256 spent = _spentInWindow(hour);
        uint256 left = _capLeft(spent);
        if (amount > left) revert DailyCapExceeded(amount, left);

        uint256 passed = _hoursPassed(hour);
        for (uint256 i = 1; i <= passed; ++i) {
            _spentByHour[(_windowHour + i) % _WINDOW_BUCKETS] = 0;
        }
        _windowHour = hour;
        _windowSpent = spent + amount;
        _spentByHour[hour % _WINDOW_BUCKETS] += amount;
    }

    /// @dev The sum as of `_windowHour`, less the buckets that have dropped out since.
    function _spentInWindow(uint256 hour) private view returns (uint256 spent) {
        spent = _windowSpent;
        uint256 passed = _hoursPassed(hour);
        for (uint256 i = 1; i <= passed; ++i) {
            spent -= _spentByHour[(_windowHour + i) % _WINDOW_BUCKETS];
        }
    }

    /// @dev Hours since the buckets were last written; after a whole turn each of them is stale, once.
    function _hoursPassed(uint256 hour) private view returns (uint256) {
        return Math.min(hour - _windowHour, _WINDOW_BUCKETS);
    }

    function _capLeft(uint256 spent) private view returns (uint256) {
        return Math.saturatingSub(_dailyWithdrawalCap, spent);
    }

    function _currentHour() private view returns (uint256) {
        return block.timestamp / 1 hours;
    }

    function _setSigner(address newSigner) private {
        if (newSigner == address(0)) revert ZeroAddress();
        emit SignerChanged(_signer, newSigner);
        _signer = newSigner;
    }

    function _setDailyWithdrawalCap(uint256 newCap) private {
        emit DailyWithdrawalCapChanged(_dailyWithdrawalCap, newCap);
        _dailyWithdrawalCap = newCap;
    }
}
