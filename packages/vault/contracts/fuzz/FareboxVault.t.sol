// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {VaultActions} from "./VaultActions.sol";

/// @title The campaign
contract FareboxVaultFuzz {
    struct Selectors {
        address addr;
        bytes4[] selectors;
    }

    VaultActions private _actions;

    function setUp() external {
        _actions = new VaultActions();
    }

    /// @notice Tells forge what to call.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_actions);
    }

    /// @notice Tells forge what not to call.
    function excludeSelectors() external view returns (Selectors[] memory excluded) {
        excluded = new Selectors[](1);
        excluded[0] = Selectors(address(_actions), new bytes4[](1));
        excluded[0].selectors[0] = _actions.check.selector;
    }

    /// @notice Checked after every action.
    function invariant_vault() external {
        _actions.check();
    }
}
