// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FareboxVault} from "../FareboxVault.sol";
import {SmartWallet} from "../test/SmartWallet.sol";
import {cheats} from "./Cheats.sol";
import {HostileToken} from "./HostileToken.sol";

/// @title The vault, and everything that has to be true of it
/// @notice Keeps books of its own of all that happened, in the plainest way, and compares the vault with them.
abstract contract VaultOracle {
    struct Payment {
        uint256 time;
        uint256 amount;
    }

    uint256 internal constant NONCES = 12;
    uint256 internal constant KEYS = 4;
    uint256 internal constant PEOPLE = 5;
    uint256 internal constant START_BALANCE = 400;
    uint256 internal constant HOME_CHAIN = 31337;

    FareboxVault internal vault;
    HostileToken internal token;

    /// @dev People who deposit, are paid, and may own the vault. The first is its first owner.
    address[PEOPLE] internal people;
    /// @dev Appointed by their index. The last is an ERC-1271 wallet; the others are accounts with a key.
    address[KEYS] internal signers;

    uint256 internal time = 1_700_000_000;
    uint256 internal chain = HOME_CHAIN;

    address internal owner;
    address internal pendingOwner;
    uint256 internal signer;
    bool internal paused;
    uint256 internal cap = 100;

    uint256 internal deposits;
    uint256 internal deposited;
    uint256 internal donated;
    uint256 internal paid;
    mapping(bytes32 nonce => bool) internal isPaid;
    mapping(address => uint256) internal balance;
    mapping(bytes32 depositId => bool) internal isDepositId;
    Payment[] internal payments;

    constructor() {
        for (uint256 i = 0; i < PEOPLE; ++i) people[i] = address(uint160(0xa11ce00 + i));
        for (uint256 i = 0; i < KEYS; ++i) signers[i] = cheats.addr(keyOf(i));
        signers[KEYS - 1] = address(new SmartWallet(signers[KEYS - 1]));
        owner = people[0];
        token = new HostileToken();
        vault = FareboxVault(deploy());
        for (uint256 i = 0; i < PEOPLE; ++i) {
            token.mint(people[i], START_BALANCE);
            balance[people[i]] = START_BALANCE;
            cheats.prank(people[i]);
            token.approve(address(vault), type(uint256).max);
        }
        token.mint(address(token), START_BALANCE);
        balance[address(token)] = START_BALANCE;
        token.approveFromHere(address(vault));
    }

    /// @dev Deploys the very bytecode that is handed in: what is released, or a copy with a mistake.
    function deploy() private returns (address created) {
        bytes memory code = abi.encodePacked(
            cheats.envBytes("VAULT_BYTECODE"),
            abi.encode(token, signers[0], people[0], cap)
        );
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
        }
        require(created != address(0), "the vault was not deployed");
    }

    /// @dev Cheat codes of an earlier call may have been forgotten.
    modifier onTime() {
        cheats.warp(time);
        cheats.chainId(chain);
        _;
    }

    function keyOf(uint256 index) internal pure returns (uint256) {
        return 0xfa2eb0 + index;
    }

    /// @dev What the cap counts: all of this hour of the clock and of the 24 before it.
    function counted() internal view returns (uint256 sum) {
        for (uint256 i = payments.length; i > 0 && payments[i - 1].time / 1 hours + 24 >= time / 1 hours; --i) {
            sum += payments[i - 1].amount;
        }
    }

    /// @dev What left in the last 24 hours, the second 24 hours ago included.
    function leftInADay() internal view returns (uint256 sum) {
        for (uint256 i = payments.length; i > 0 && payments[i - 1].time + 1 days >= time; --i) {
            sum += payments[i - 1].amount;
        }
    }

    /// @dev Books a payment of the vault, and checks what must be true at every one.
    function bookPayment(FareboxVault.Ticket memory ticket) internal {
        require(!isPaid[ticket.nonce], "a nonce is paid twice");
        require(!paused, "money leaves while the vault is paused");
        isPaid[ticket.nonce] = true;
        paid += ticket.amount;
        balance[ticket.to] += ticket.amount;
        payments.push(Payment(time, ticket.amount));
        require(leftInADay() <= cap, "more than the cap leaves in 24 hours");
    }

    /// @dev Books a deposit of the vault, and checks what must be true at every one.
    function bookDeposit(address from, uint256 amount, bytes32 depositId) internal {
        require(!paused, "money comes in while the vault is paused");
        require(!isDepositId[depositId], "two deposits have one id");
        isDepositId[depositId] = true;
        deposits += 1;
        deposited += amount;
        balance[from] -= amount;
    }

    /// @notice Reverts, and says why, if the vault differs from the books in anything.
    function check() external onTime {
        uint256 held = deposited + donated - paid;
        require(token.trueBalanceOf(address(vault)) == held, "the vault does not hold deposits less payments");
        for (uint256 i = 0; i < PEOPLE; ++i) {
            require(token.trueBalanceOf(people[i]) == balance[people[i]], "somebody has more or less than is due");
        }
        require(token.trueBalanceOf(address(token)) == balance[address(token)], "a call back moved money");
        require(vault.owner() == owner && vault.pendingOwner() == pendingOwner, "another owner");
        require(vault.signer() == signers[signer], "another signer");
        require(vault.paused() == paused, "paused or unpaused by itself");
        require(vault.dailyWithdrawalCap() == cap, "another cap");
        require(vault.depositCount() == deposits, "another number of deposits");
        for (uint256 i = 0; i < NONCES; ++i) {
            require(vault.isNonceUsed(bytes32(i)) == isPaid[bytes32(i)], "a nonce is used, or not, by mistake");
        }
        checkCap(held);
    }

    function checkCap(uint256 held) private view {
        uint256 inWindow = counted();
        require(vault.withdrawnInWindow() == inWindow, "the cap counts wrongly");
        uint256 left = inWindow < cap ? cap - inWindow : 0;
        if (held < left) left = held;
        require(vault.availableToWithdraw() == (paused ? 0 : left), "another amount is said to be available");
    }
}
