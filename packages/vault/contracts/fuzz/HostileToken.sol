// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that misbehaves in one of many ways
contract HostileToken is ERC20 {
    enum Conduct {
        Honest,
        // Moves the money and returns no data, as USDT does.
        ReturnsNothing,
        // Calls the vault back in the middle of a transfer.
        Reenters,
        // From here on, what the vault is told is wrong: it must refuse.
        ReturnsFalse,
        MovesNothing,
        MovesTwice,
        TakesFromRecipient,
        TakesFromSender,
        ReportsMoreAfterwards,
        Reverts
    }

    /// @notice How the next transfers go.
    Conduct public conduct;

    address private _target;
    bytes private _callback;
    uint256 private _reportedTooMuch;

    constructor() ERC20("Hostile", "HOSTILE") {}

    /// @notice Makes `amount` base units for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Approves the vault, so that a call back can deposit.
    function approveFromHere(address spender) external {
        _approve(address(this), spender, type(uint256).max);
    }

    /// @notice Sets how transfers go from now on.
    /// @param target who is called back, if the conduct is {Conduct-Reenters}
    /// @param callback the data of that call
    function behave(Conduct conduct_, address target, bytes calldata callback) external {
        conduct = conduct_;
        _target = target;
        _callback = callback;
        _reportedTooMuch = 0;
    }

    /// @notice What an account has, whatever {balanceOf} reports.
    function trueBalanceOf(address account) public view returns (uint256) {
        return super.balanceOf(account);
    }

    /// @inheritdoc ERC20
    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) + _reportedTooMuch;
    }

    /// @inheritdoc ERC20
    function transfer(address to, uint256 value) public override returns (bool) {
        return _move(_msgSender(), to, value);
    }

    /// @inheritdoc ERC20
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _spendAllowance(from, _msgSender(), value);
        return _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private returns (bool) {
        if (conduct == Conduct.Reverts) revert("the token reverts");
        if (conduct == Conduct.ReturnsFalse) return false;
        if (conduct == Conduct.MovesNothing) return true;
        if (conduct == Conduct.Reenters) {
            // Refused or not, the transfer goes on.
            (bool done, ) = _target.call(_callback);
            done;
        }
        _transfer(from, to, value);
        if (conduct == Conduct.MovesTwice) _transfer(from, to, value);
        if (conduct == Conduct.TakesFromRecipient) _burn(to, 1);
        if (conduct == Conduct.TakesFromSender) _burn(from, 1);
        if (conduct == Conduct.ReportsMoreAfterwards) _reportedTooMuch = 1;
        if (conduct == Conduct.ReturnsNothing) {
            assembly ("memory-safe") {
                return(0, 0)
            }
        }
        return true;
    }
}
