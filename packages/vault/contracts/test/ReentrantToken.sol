// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title A token that calls back while it moves money
/// @notice Tests only. Every transfer makes the call that was set, and fails if the call does.
contract ReentrantToken is ERC20 {
    using Address for address;

    address private _target;
    bytes private _data;

    constructor() ERC20("Reentrant", "LOOP") {}

    /// @notice Makes `amount` base units for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Sets the call that each transfer makes.
    /// @param target who is called; zero turns the call off
    /// @param data the call's data
    function setCallback(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (_target != address(0)) _target.functionCall(_data);
    }
}
