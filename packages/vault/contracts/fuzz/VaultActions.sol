// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {FareboxVault} from "../FareboxVault.sol";
import {cheats} from "./Cheats.sol";
import {HostileToken} from "./HostileToken.sol";
import {VaultOracle} from "./VaultOracle.sol";

/// @title Everything that anybody can do to a vault
/// @notice Each public function is one action that forge calls with random arguments. An action knows how it must end
/// and reverts if it ends otherwise; a revert fails the campaign.
contract VaultActions is VaultOracle {
    struct Issued {
        FareboxVault.Ticket ticket;
        bytes signature;
        uint256 key;
        uint256 chain;
        address vault;
    }

    /// @dev Every ticket that was ever signed, paid or not.
    Issued[] private _issued;

    bytes4 private constant _DONE = 0;
    /// @dev It must be refused; the error is the token's own, or depends on what the token did.
    bytes4 private constant _ANY_ERROR = 0xffffffff;

    /// @notice Somebody deposits, with a permit that is worth nothing or without, a token that misbehaves or not.
    function deposit(uint256 who, uint256 amount, uint256 conductSeed, bool withPermit) external onTime {
        address from = people[who % PEOPLE];
        amount %= 150;
        HostileToken.Conduct conduct = behave(conductSeed);
        // The vault takes what arrives; what a depositor loses besides is between it and the token.
        if (conduct == HostileToken.Conduct.TakesFromSender) amount = 0;
        bytes4 expected = _DONE;
        if (paused) expected = Pausable.EnforcedPause.selector;
        else if (amount == 0) expected = FareboxVault.ZeroAmount.selector;
        else if (amount > balance[from] || isHostile(conduct)) expected = _ANY_ERROR;

        cheats.prank(from);
        (bool done, bytes memory result) = address(vault).call(
            withPermit
                ? abi.encodeCall(vault.depositWithPermit, (amount, time, 27, bytes32(conductSeed), bytes32(amount)))
                : abi.encodeCall(vault.deposit, (amount))
        );
        expect("a deposit", expected, done, result);
        if (done) bookDeposit(from, amount, abi.decode(result, (bytes32)));
        token.behave(HostileToken.Conduct.Honest, address(0), "");
    }

    /// @notice A ticket is signed, by any key, at times for another vault or another chain, and often submitted, with a
    /// token that misbehaves or not.
    function issue(uint256 to, uint256 amount, uint256 nonce, uint256 key, uint256 lifetime, uint256 domain) external onTime {
        Issued storage made = _issued.push();
        made.ticket = FareboxVault.Ticket(recipient(to), amount % 61, time + (lifetime % 40 hours), bytes32(nonce % NONCES));
        // Mostly by the signer of the day.
        made.key = key % 8 < KEYS ? key % 8 : signer;
        made.vault = domain % 8 == 0 ? address(token) : address(vault);
        made.chain = domain % 8 == 1 ? chain + 1 : chain;
        bytes32 digest = digestOf(made.ticket, made.vault, made.chain);
        if (made.vault == address(vault) && made.chain == chain) {
            require(vault.hashTicket(made.ticket) == digest, "the vault hashes a ticket in another way");
        }
        (uint8 v, bytes32 r, bytes32 s) = cheats.sign(keyOf(made.key), digest);
        made.signature = abi.encodePacked(r, s, v);
        if (domain % 3 != 0) {
            uint256 mood = uint256(digest);
            submit(made.ticket, made.signature, holds(made), behave(mood % 2 == 0 ? (mood >> 8) % 10 : 10));
            token.behave(HostileToken.Conduct.Honest, address(0), "");
        }
    }

    /// @notice The largest ticket that the vault says it can pay is paid, and one above it is not.
    function payAllThatIsAvailable(uint256 to, uint256 nonce) external onTime {
        uint256 amount = vault.availableToWithdraw();
        for (uint256 more = 2; more > 0; --more) {
            FareboxVault.Ticket memory ticket = FareboxVault.Ticket(
                people[to % PEOPLE], amount + more - 1, time, bytes32(nonce % NONCES)
            );
            (uint8 v, bytes32 r, bytes32 s) = cheats.sign(keyOf(signer), digestOf(ticket, address(vault), chain));
            submit(ticket, abi.encodePacked(r, s, v), true, HostileToken.Conduct.Honest);
        }
    }

    /// @notice Any ticket of the past is submitted, as it is or altered, paid already or not.
    function submitAgain(uint256 which, uint256 alteration, uint256 conductSeed) external onTime {
        if (_issued.length == 0) return;
        Issued storage old = _issued[which % _issued.length];
        FareboxVault.Ticket memory ticket = old.ticket;
        bytes memory signature = old.signature;
        bool isWhole = alteration % 16 > 8;
        if (!isWhole) (ticket, signature) = alter(ticket, signature, alteration % 16);
        submit(ticket, signature, isWhole && holds(old), behave(conductSeed));
        token.behave(HostileToken.Conduct.Honest, address(0), "");
    }

    /// @notice Somebody uses a power of the owner; mostly it is the owner.
    function administer(uint256 who, uint256 power, uint256 value) external onTime {
        address caller = who % 8 < PEOPLE ? people[who % 8] : who % 8 == PEOPLE ? signers[signer] : owner;
        bytes4 expected = caller == owner ? _DONE : Ownable.OwnableUnauthorizedAccount.selector;
        bytes memory call;
        power %= 12;
        if (power < 3) {
            address to = value % 8 == 0 ? address(0) : signers[value % KEYS];
            if (expected == _DONE && to == address(0)) expected = FareboxVault.ZeroAddress.selector;
            call = abi.encodeCall(vault.setSigner, (to));
        } else if (power < 6) {
            value = value % 20 == 0 ? type(uint256).max : value % 250;
            call = abi.encodeCall(vault.setDailyWithdrawalCap, (value));
        } else if (power == 6) {
            if (expected == _DONE && paused) expected = Pausable.EnforcedPause.selector;
            call = abi.encodeCall(vault.pause, ());
        } else if (power < 9) {
            if (expected == _DONE && !paused) expected = Pausable.ExpectedPause.selector;
            call = abi.encodeCall(vault.unpause, ());
        } else if (power == 9) {
            call = abi.encodeCall(vault.transferOwnership, (people[value % PEOPLE]));
        } else if (power == 10) {
            expected = caller == pendingOwner ? _DONE : Ownable.OwnableUnauthorizedAccount.selector;
            call = abi.encodeCall(vault.acceptOwnership, ());
        } else {
            expected = FareboxVault.OwnershipCannotBeRenounced.selector;
            call = abi.encodeCall(vault.renounceOwnership, ());
        }
        cheats.prank(caller);
        (bool done, bytes memory result) = address(vault).call(call);
        expect("a power of the owner", expected, done, result);
        if (done) bookPower(caller, power, value);
    }

    /// @notice A stranger, who has nothing, calls any function with anything. {check} sees what it changed.
    function knock(bytes4 selector, bytes calldata data, uint256 known, bool withEther) external onTime {
        bytes4[7] memory selectors = [
            vault.deposit.selector, vault.depositWithPermit.selector, vault.withdraw.selector,
            vault.setSigner.selector, vault.setDailyWithdrawalCap.selector, vault.transferOwnership.selector,
            vault.acceptOwnership.selector
        ];
        if (known % 8 < selectors.length) selector = selectors[known % 8];
        address stranger = address(uint160(0xbad));
        cheats.deal(stranger, 1);
        cheats.prank(stranger);
        (bool done, ) = address(vault).call{value: withEther ? 1 : 0}(abi.encodePacked(selector, data));
        require(!done || !withEther, "the vault takes ether");
    }

    /// @notice Somebody sends the vault tokens by a plain transfer: nobody is credited for them.
    function donate(uint256 who, uint256 amount) external onTime {
        address from = people[who % PEOPLE];
        amount %= 20;
        if (amount > balance[from]) return;
        cheats.prank(from);
        token.transfer(address(vault), amount);
        donated += amount;
        balance[from] -= amount;
    }

    /// @notice Time passes: seconds, whole hours, about a day, or days. At times the chain forks: from then on it
    /// has another id, or its old one again.
    function passTime(uint256 kind, uint256 length) external {
        kind %= 16;
        if (kind < 6) time += length % 3_600;
        else if (kind < 9) time += (length % 13) * 1 hours;
        else if (kind < 13) time += 23 hours + (length % 3 hours);
        else if (kind < 15) time += (length % 10) * 1 days;
        else chain = chain == HOME_CHAIN ? HOME_CHAIN + 1 : HOME_CHAIN;
    }

    function bookPower(address caller, uint256 power, uint256 value) private {
        if (power < 3) signer = value % KEYS;
        else if (power < 6) cap = value;
        else if (power == 6) paused = true;
        else if (power < 9) paused = false;
        else if (power == 9) pendingOwner = people[value % PEOPLE];
        else (owner, pendingOwner) = (caller, address(0));
    }

    function submit(
        FareboxVault.Ticket memory ticket,
        bytes memory signature,
        bool isSigned,
        HostileToken.Conduct conduct
    ) private {
        bytes4 expected = refusal(ticket, isSigned, conduct);
        (bool done, bytes memory result) = address(vault).call(abi.encodeCall(vault.withdraw, (ticket, signature)));
        if (done && isPaid[ticket.nonce]) revert("a nonce is paid twice");
        if (done && !isSigned) revert("a ticket is paid that the signer did not sign");
        expect("a ticket", expected, done, result);
        if (done) bookPayment(ticket);
    }

    /// @dev The error with which a ticket must be refused now.
    function refusal(
        FareboxVault.Ticket memory ticket,
        bool isSigned,
        HostileToken.Conduct conduct
    ) private view returns (bytes4) {
        if (paused) return Pausable.EnforcedPause.selector;
        if (ticket.to == address(0)) return FareboxVault.ZeroAddress.selector;
        if (ticket.amount == 0) return FareboxVault.ZeroAmount.selector;
        if (time > ticket.deadline) return FareboxVault.TicketExpired.selector;
        if (isPaid[ticket.nonce]) return FareboxVault.NonceUsed.selector;
        if (!isSigned) return FareboxVault.InvalidSignature.selector;
        uint256 spent = counted();
        if (spent > cap || ticket.amount > cap - spent) return FareboxVault.DailyCapExceeded.selector;
        if (ticket.amount > deposited + donated - paid || isHostile(conduct)) return _ANY_ERROR;
        if (ticket.to == address(vault)) return FareboxVault.UnexpectedTransferAmount.selector;
        return _DONE;
    }

    function expect(string memory what, bytes4 expected, bool done, bytes memory result) private pure {
        if (expected == _DONE) require(done, string.concat(what, " is refused that is good"));
        else require(!done, string.concat(what, " goes through that must be refused"));
        if (done || expected == _ANY_ERROR) return;
        require(bytes4(result) == expected, string.concat(what, " is refused with another error"));
    }

    function holds(Issued storage ticket) private view returns (bool) {
        return ticket.key == signer && ticket.chain == chain && ticket.vault == address(vault);
    }

    /// @dev Has the token behave for the next call; mostly it is honest.
    function behave(uint256 seed) private returns (HostileToken.Conduct conduct) {
        conduct = HostileToken.Conduct(seed % 20 < 10 ? seed % 20 : 0);
        bytes memory callback = _issued.length > 0 && seed % 40 < 20
            ? abi.encodeCall(vault.withdraw, (_issued[seed % _issued.length].ticket, _issued[seed % _issued.length].signature))
            : abi.encodeCall(vault.deposit, (1));
        token.behave(conduct, address(vault), callback);
    }

    function isHostile(HostileToken.Conduct conduct) private pure returns (bool) {
        return conduct > HostileToken.Conduct.Reenters;
    }

    function recipient(uint256 seed) private view returns (address) {
        if (seed % 16 == 0) return address(0);
        if (seed % 16 == 1) return address(vault);
        if (seed % 16 == 2) return signers[signer];
        return people[seed % PEOPLE];
    }

    /// @dev EIP-712, written out once more.
    function digestOf(FareboxVault.Ticket memory ticket, address verifier, uint256 id) private pure returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("FareboxVault"),
                keccak256("1"),
                id,
                verifier
            )
        );
        bytes32 message = keccak256(
            abi.encode(
                keccak256("Ticket(address to,uint256 amount,uint256 deadline,bytes32 nonce)"),
                ticket.to,
                ticket.amount,
                ticket.deadline,
                ticket.nonce
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }

    /// @dev One thing of the ticket or its signature becomes another.
    function alter(
        FareboxVault.Ticket memory ticket,
        bytes memory signature,
        uint256 how
    ) private pure returns (FareboxVault.Ticket memory, bytes memory) {
        if (how == 0) ticket.to = address(uint160(ticket.to) + 1);
        else if (how == 1) ticket.amount += 1;
        else if (how == 2) ticket.deadline += 40 hours;
        else if (how == 3) ticket.nonce = bytes32((uint256(ticket.nonce) + 1) % NONCES);
        else if (how == 4) signature = "";
        else if (how == 5) signature = abi.encodePacked(signature, uint8(0));
        else if (how == 6) signature[8] ^= 0x01;
        else signature = how == 7 ? mirrored(signature) : compact(signature);
        return (ticket, signature);
    }

    /// @dev The other signature (r, n - s) that fits the same key and digest.
    function mirrored(bytes memory signature) private pure returns (bytes memory) {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        return abi.encodePacked(r, order - uint256(s), v == 27 ? uint8(28) : uint8(27));
    }

    /// @dev The same signature in the 64 bytes of EIP-2098.
    function compact(bytes memory signature) private pure returns (bytes memory) {
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        return abi.encodePacked(r, uint256(s) | (uint256(v - 27) << 255));
    }

    function split(bytes memory signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
    }
}
